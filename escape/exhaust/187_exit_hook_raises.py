# id: exhaust/187
# technique: an exit hook that raises, when the value is written already
# family: account
# attacks: stderr
# context: job
# expect: outcome finished:true
# must-not: a value lost
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os
import sys

OUT = sys.argv[1]

os.write(2, b"." * 5000)

import atexit

with open(OUT, "w") as out:
    out.write("true")


def late():
    raise ValueError("late")


atexit.register(late)
