# id: exhaust/088
# technique: stops itself: nothing burns, nothing ends
# family: signal
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
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
