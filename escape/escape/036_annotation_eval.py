# id: escape/036
# technique: annotations are expressions (run at def before 3.14, lazily after)
# family: syntax
# attacks: separate-address-space
# context: bare
# reaches: code execution in a position filters skip
# stopped-by: expr; check PY231; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
def f(x: ().__class__.__base__.__subclasses__()):
    pass
leak = f.__annotations__["x"]
