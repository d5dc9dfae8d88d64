# id: escape/110
# technique: import under another name, then the same chain
# family: checker-blind-spot
# attacks: separate-address-space
# context: import json
# reaches: builtins module
# stopped-by: expr; check only with alias tracking; process
# expect: specimen
# must-not: any document or message calling a file that passes the check safe
# control: outside
# seen-in: found by hand against our own prototype of the check
import json as j
leak = j.codecs.builtins
