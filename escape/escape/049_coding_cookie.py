# id: escape/049
# technique: PEP 263 coding: raw_unicode_escape on line 2: the interpreter decodes another program
#   than the checker read
# family: differential
# attacks: separate-address-space
# context: file
# reaches: any code at all, hidden from a UTF-8 parser as a comment
# stopped-by: expr; check PY001 (only utf-8 cookies); process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
leak = None
# \u000aleak = ().__class__.__base__
