# id: escape/001
# technique: type -> base -> __subclasses__()
# family: object-graph
# attacks: separate-address-space
# context: bare
# reaches: every class loaded in the interpreter
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; every pyjail
leak = ().__class__.__base__.__subclasses__()
