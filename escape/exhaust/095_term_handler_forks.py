# id: exhaust/095
# technique: handles SIGTERM by children that each ignore it
# family: signal
# attacks: wall, grace, verified-teardown
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a child that outlives grace
# control: none: what is left behind outside would have to be looked for
# limits: wall=400ms, grace=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import signal
import time

def late(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for _ in range(8):
        if os.fork() == 0:
            os.setsid()
            break
    time.sleep(600)


signal.signal(signal.SIGTERM, late)
time.sleep(600)
