# id: escape/111
# technique: import the inner module itself from an allowed one
# family: checker-blind-spot
# attacks: separate-address-space
# context: import json
# reaches: builtins module
# stopped-by: expr; check only with a list of importable names per module; process
# expect: specimen
# must-not: any document or message calling a file that passes the check safe
# control: outside
# seen-in: found by hand against our own prototype of the check
from json import codecs
leak = codecs.builtins
