# id: exhaust/093
# technique: ignores SIGCHLD, so that children vanish by themselves, and hides behind them
# family: signal
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: the CPU time of children that nobody waited for not counted
# control: none: it never ends
# needs: cgroup
# limits: cpu=400ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    try:
        if os.fork() == 0:
            end = time.process_time() + 0.02
            while time.process_time() < end:
                pass
            os._exit(0)
    except OSError:
        time.sleep(0.002)
