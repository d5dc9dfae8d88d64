# id: escape/006
# technique: __reduce_ex__ hands out copyreg.__newobj__, a Python function with __builtins__
# family: object-graph
# attacks: separate-address-space
# context: bare
# reaches: real builtins in one hop, no subclass walk
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# min-python: 3.10
# seen-in: asteval #86
leak = ().__reduce_ex__(2)[0].__builtins__
