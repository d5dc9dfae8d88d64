# id: escape/008
# technique: gc.get_objects() enumerates every container in the process
# family: object-graph
# attacks: separate-address-space
# context: import gc
# reaches: all live dicts, including other tenants' data
# stopped-by: expr; check PY310; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
import gc
leak = [o for o in gc.get_objects() if type(o) is dict and "HOST_SECRET" in o]
