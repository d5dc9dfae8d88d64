# id: escape/046
# technique: a positional-only parameter rebinds an injected guard name
# family: syntax
# attacks: separate-address-space
# context: bare
# reaches: disables _getattr_ for one scope of rewritten code
# stopped-by: expr; check PY240; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython CVE-2026-55830
def f(_getattr_, /, s):
    return s.format((1).real)
leak = "shadow accepted"
