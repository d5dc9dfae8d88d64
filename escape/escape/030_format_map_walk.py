# id: escape/030
# technique: format_map with a mapping the submission builds
# family: format
# attacks: separate-address-space
# context: helper
# reaches: as format, other spelling
# stopped-by: expr; check PY211; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython CVE-2023-41039
leak = "{f.__globals__[HOST_SECRET]}".format_map({"f": fetch_row})
