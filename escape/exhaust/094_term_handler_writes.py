# id: exhaust/094
# technique: handles SIGTERM by writing a value and leaving with 0
# family: signal
# attacks: wall, grace
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a value after the time was over
# control: none: it never ends
# limits: wall=400ms, grace=2s
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import signal
import time

OUT = sys.argv[1]

def late(*_):
    with open(OUT, "w") as out:
        out.write("true")
    os._exit(0)


signal.signal(signal.SIGTERM, late)
time.sleep(600)
