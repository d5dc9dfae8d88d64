# id: escape/016
# technique: functools.partial handed in exposes the wrapped function as .func
# family: bridge
# attacks: separate-address-space
# context: object:part
# reaches: host function, then its globals
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
leak = part.func.__globals__
