# id: exhaust/175
# technique: an exception whose type has a name of a mebibyte
# family: account
# attacks: stderr
# context: job
# expect: outcome raised | exited:1
# why: an account that does not fit is none
# must-not: an account that grows without bound
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os

os.write(2, b"." * 5000)
raise type("E" * (1 << 20), (Exception,), {})("x")
