# id: exhaust/086
# technique: children that are stopped, and one that is traced by none
# family: process-tree
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: a stopped process that outlives the run
# control: none: what is left behind outside would have to be looked for
# needs: cgroup
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

for _ in range(6):
    if os.fork() == 0:
        os.setpgid(0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(600)
time.sleep(0.05)
with open(OUT, "w") as out:
    out.write("true")
os._exit(0)
