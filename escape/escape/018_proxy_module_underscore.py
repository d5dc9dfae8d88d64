# id: escape/018
# technique: an allowlisted module's private alias of os
# family: bridge
# attacks: separate-address-space
# context: import random
# reaches: os through random._os
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: smolagents CVE-2025-5120
import random
leak = random._os
