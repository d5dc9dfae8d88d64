# id: escape/042
# technique: t-string interpolations keep the live object in .interpolations
# family: syntax
# attacks: separate-address-space
# context: bare
# reaches: objects carried inside a 'string'
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# min-python: 3.14
# seen-in: RestrictedPython 8.1
leak = t"{().__class__.__base__}".interpolations[0].value
