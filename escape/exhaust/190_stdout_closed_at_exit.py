# id: exhaust/190
# technique: closes standard output under the interpreter
# family: account
# attacks: stderr
# context: job
# expect: outcome exited:120
# must-not: taken as well ended
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os
import sys

os.write(2, b"." * 5000)

sys.stdout = open(1, "w")
print("held back")
os.close(1)
