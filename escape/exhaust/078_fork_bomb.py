# id: exhaust/078
# technique: each process forks until refused, children too
# family: process-tree
# attacks: processes
# context: job
# expect: verdict denied
# must-not: more than 16 processes at once
# control: none: it would take the host down
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import errno
import json
import os
import time


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/078", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


start = os.getpid()
made, refused = 0, None
readers = []
while made < 500 and refused is None:
    try:
        pid = os.fork()
    except OSError as error:
        refused = error.errno
        break
    if pid == 0:
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(1)
    made += 1
alive = [name for name in os.listdir("/proc") if name.isdigit()]
say(refused != errno.EAGAIN or made > 16, "%d made, errno %s, %d alive" % (made, refused, len(alive)))
