# id: exhaust/171
# technique: holds every lock on the result that there is
# family: result-file
# attacks: result
# context: job
# expect: outcome finished:true
# must-not: a supervisor that waits for a lock
# control: none: the victim is the supervisor, which reads it
# needs: cgroup
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import fcntl
import os
import time

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write("true")
if os.fork() == 0:
    one = os.open(OUT, os.O_RDWR)
    fcntl.flock(one, fcntl.LOCK_EX)
    fcntl.lockf(one, fcntl.LOCK_EX)
    os.chmod(OUT, 0o2600)
    time.sleep(600)
time.sleep(0.05)
os._exit(0)
