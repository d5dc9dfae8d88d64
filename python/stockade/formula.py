"""The formula language: `compile(source, signature).eval(inputs)`.

>>> from stockade import formula
>>> rule = formula.compile("price * qty > 100", "price: float, qty: int")
>>> rule.eval({"price": 19.5, "qty": 6})
True
"""

from ._error import FormulaError
from ._formula import LANGUAGE_VERSION, Compiled, Prepared, compile

__all__ = ["LANGUAGE_VERSION", "Compiled", "FormulaError", "Prepared", "compile"]
