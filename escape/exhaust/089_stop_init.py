# id: exhaust/089
# technique: SIGSTOP and SIGKILL to init, which keeps the clocks, then spins
# family: signal
# attacks: wall, no-host-processes
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a clock that does not fire
# control: none: process 1 outside is the host's own
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import signal
import time

for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTSTP, signal.SIGTERM, signal.SIGSEGV):
    try:
        os.kill(1, number)
    except OSError:
        pass
time.sleep(600)
