# id: escape/047
# technique: walrus inside a comprehension binds a protected name in the outer scope
# family: syntax
# attacks: separate-address-space
# context: bare
# reaches: guard names, result names
# stopped-by: expr; check PY240; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; RestrictedPython 5.1
[(_write_ := 1) for _ in [0]]
leak = "walrus accepted"
