# id: escape/002
# technique: first subclass whose __init__ is a Python function, then its module globals
# family: object-graph
# attacks: separate-address-space
# context: bare
# reaches: a stdlib module dict and its __builtins__
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; smolagents CVE-2025-9959
leak = None
for c in ().__class__.__base__.__subclasses__():
    try:
        b = c.__init__.__globals__["__builtins__"]
    except:
        continue
    leak = b
    break
