"""The commonest accident: a loop that never ends. Nothing inside Python can stop it.

    stockade run examples/spin.py --limit cpu=1s

ends with `limit_exceeded: cpu` and exit code 3.
"""
while True:
    pass
