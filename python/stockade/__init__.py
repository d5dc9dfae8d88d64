"""Stockade from Python. `stockade.formula` evaluates formulas in this process."""
