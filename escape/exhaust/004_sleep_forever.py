# id: exhaust/004
# technique: no CPU time at all: RLIMIT_CPU never fires
# family: time
# attacks: wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a run that outlives its wall clock
# control: none: it never ends
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import time

time.sleep(10**6)
