# id: escape/009
# technique: a function handed in carries its defining module's globals
# family: bridge
# attacks: separate-address-space
# context: helper
# reaches: host module dict, its __builtins__ and its secrets
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; simpleeval #15
leak = fetch_row.__globals__["__builtins__"]
