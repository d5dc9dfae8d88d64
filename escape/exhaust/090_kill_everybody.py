# id: exhaust/090
# technique: kill -1: SIGKILL to all that may be signalled
# family: signal
# attacks: no-host-processes, verified-teardown
# context: job
# expect: outcome finished:true
# must-not: anything but its own processes ended
# control: none: it would end every process of the user
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import signal

OUT = sys.argv[1]

try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
with open(OUT, "w") as out:
    out.write("true")
