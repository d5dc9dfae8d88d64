# id: exhaust/184
# technique: an exit code below 0
# family: account
# attacks: stderr
# context: job
# expect: outcome exited:255
# must-not: taken as a signal
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os
import sys

os.write(2, b"." * 5000)
sys.exit(-1)
