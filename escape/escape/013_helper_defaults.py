# id: escape/013
# technique: rewrite __defaults__ of a handed-in function
# family: bridge
# attacks: separate-address-space
# context: helper
# reaches: argument injection into the host's later calls
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
fetch_row.__defaults__ = ("injected",)
leak = fetch_row.__globals__
