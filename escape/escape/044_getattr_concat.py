# id: escape/044
# technique: attribute name assembled at run time
# family: syntax
# attacks: separate-address-space
# context: builtins:getattr
# reaches: any attribute
# stopped-by: expr; check PY210; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; smolagents CVE-2025-5120
leak = getattr(getattr((), "__cl" + "ass__"), "__ba" + "se__")
