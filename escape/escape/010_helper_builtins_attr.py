# id: escape/010
# technique: function.__builtins__ (3.10+) names the real builtins directly
# family: bridge
# attacks: separate-address-space
# context: helper
# reaches: builtins dict
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# min-python: 3.10
leak = fetch_row.__builtins__
