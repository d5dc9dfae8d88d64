# id: escape/029
# technique: str.format walks attributes and items by string
# family: format
# attacks: separate-address-space
# context: helper
# reaches: reads host secrets as text
# stopped-by: expr; check PY211; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython CVE-2023-41039; smolagents #2271
leak = "{0.__globals__[HOST_SECRET]}".format(fetch_row)
