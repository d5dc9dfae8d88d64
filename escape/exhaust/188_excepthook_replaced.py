# id: exhaust/188
# technique: replaces the hook that tells of exceptions
# family: account
# attacks: stderr
# context: job
# expect: outcome result_rejected:missing
# must-not: an exception told as a value
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os
import sys

os.write(2, b"." * 5000)

sys.excepthook = lambda *_: os._exit(0)
raise ValueError("never told")
