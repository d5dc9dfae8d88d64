# id: escape/026
# technique: AttributeError.obj returns the object a format-string path reached
# family: errors
# attacks: separate-address-space
# context: builtins:Exception
# reaches: any object behind dunders, with no dunder Attribute node in the source
# stopped-by: expr; check PY211; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# min-python: 3.10
# seen-in: RestrictedPython CVE-2024-47532; n8n CVE-2026-0863; asteval CVE-2025-24359
try:
    "{0.__class__.__base__.nope}".format(())
except Exception as e:
    base = e.obj
leak = base
