# id: escape/011
# technique: closure cells of a handed-in function
# family: bridge
# attacks: separate-address-space
# context: helper
# reaches: values captured by the host (keys, connections)
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
leak = [c.cell_contents for c in fetch_row.__closure__]
