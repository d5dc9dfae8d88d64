# id: exhaust/121
# technique: files that are open and have no name any more
# family: disk
# attacks: disk
# context: job
# expect: verdict denied
# must-not: more than `disk` held
# control: none: it would fill the host's disk
# limits: disk=8MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/121", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


keep, held = [], 0
try:
    while held < 64 << 20:
        one = os.open("gone", os.O_CREAT | os.O_RDWR)
        os.unlink("gone")
        keep.append(one)
        held += os.write(one, bytes(1 << 20))
except OSError as error:
    say(held > 8 << 20, "%d bytes, %s" % (held, error))
else:
    say(True, "%d bytes" % held)
