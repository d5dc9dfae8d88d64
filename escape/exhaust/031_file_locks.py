# id: exhaust/031
# technique: locks shared files and never lets go
# family: locks
# attacks: wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a lock that outlives the run
# control: none: another process of the host may want the lock
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import fcntl
import os
import time

for name in ("/tmp", "/usr/lib", "/etc/passwd", sys.executable):
    try:
        fcntl.flock(os.open(name, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass
time.sleep(600)
