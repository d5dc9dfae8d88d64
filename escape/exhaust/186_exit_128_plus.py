# id: exhaust/186
# technique: an exit code that a shell would take for a signal
# family: account
# attacks: stderr
# context: job
# expect: outcome exited:139
# must-not: taken as SIGSEGV
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os
import sys

os.write(2, b"." * 5000)
sys.exit(139)
