# id: exhaust/206
# technique: keeps directories, files and maps of every mount open in processes that do not end
# family: persistence
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: a mount that cannot be taken away
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

keep = []
for name in ("/", "/usr", "/proc", "/dev/shm", "/tmp", ".", "/etc"):
    try:
        keep.append(os.open(name, os.O_RDONLY))
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    os.chdir("/tmp")
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    time.sleep(600)
with open(OUT, "w") as out:
    out.write("true")
os._exit(0)
