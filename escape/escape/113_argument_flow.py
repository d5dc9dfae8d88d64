# id: escape/113
# technique: the module arrives as a parameter
# family: checker-blind-spot
# attacks: separate-address-space
# context: import json
# reaches: builtins module
# stopped-by: expr; process
# expect: specimen
# must-not: any document or message calling a file that passes the check safe
# control: outside
# seen-in: found by hand against our own prototype of the check
import json
def f(x):
    return x.codecs.builtins
leak = f(json)
