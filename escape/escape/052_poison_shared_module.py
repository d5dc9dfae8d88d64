# id: escape/052
# technique: assign to a function of a shared module
# family: state
# attacks: separate-address-space
# context: import json
# reaches: every later run in the same process (cross-tenant)
# stopped-by: expr; check PY250; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: open-chat-studio assessment, finding 1
import json
old = json.dumps
json.dumps = lambda *a, **k: "poisoned"
leak = json.dumps({})
json.dumps = old
