# id: escape/035
# technique: default arguments run when the def runs
# family: syntax
# attacks: separate-address-space
# context: bare
# reaches: code execution at 'definition only' validation
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: Langflow CVE-2025-3248
def f(x=().__class__.__base__.__subclasses__()):
    pass
leak = f.__defaults__[0]
