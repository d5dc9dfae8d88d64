# id: escape/034
# technique: a class pattern reads attributes without an Attribute node
# family: syntax
# attacks: separate-address-space
# context: builtins:type,tuple
# reaches: dunder attributes past a visitor for Attribute
# stopped-by: expr; check PY230; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# min-python: 3.10
# seen-in: the argument in DESIGN.md
leak = None
match ():
    case tuple(__class__=c):
        match c:
            case type(__base__=b):
                leak = b
