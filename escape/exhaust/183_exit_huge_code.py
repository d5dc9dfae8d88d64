# id: exhaust/183
# technique: exit codes that do not fit: 256 is 0 for the kernel
# family: account
# attacks: stderr
# context: job
# expect: outcome result_rejected:missing
# must-not: taken as another code
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os
import sys

os.write(2, b"." * 5000)
sys.exit(256)
