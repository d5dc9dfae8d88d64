# id: escape/014
# technique: bound method -> __func__ -> __globals__
# family: bridge
# attacks: separate-address-space
# context: object:api
# reaches: host module dict
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
leak = api.lookup.__func__.__globals__
