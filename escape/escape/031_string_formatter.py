# id: escape/031
# technique: string.Formatter().get_field returns the object itself, not its text
# family: format
# attacks: separate-address-space
# context: import string
# reaches: real objects through a formatter
# stopped-by: expr; check PY211; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython CVE-2026-76825
import string
leak = string.Formatter().get_field("0.__class__.__base__", ((),), {})[0]
