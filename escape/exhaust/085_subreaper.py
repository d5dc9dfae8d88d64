# id: exhaust/085
# technique: makes itself the reaper, so that orphans do not go to init
# family: process-tree
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: a process of the run alive after the verdict
# control: none: what is left behind outside would have to be looked for
# needs: cgroup
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)

OUT = sys.argv[1]

libc.prctl(36, 1, 0, 0, 0)
for _ in range(4):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
        os._exit(0)
with open(OUT, "w") as out:
    out.write("true")
os._exit(0)
