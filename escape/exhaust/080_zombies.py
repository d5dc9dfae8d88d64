# id: exhaust/080
# technique: children that are dead and never waited for
# family: process-tree
# attacks: processes
# context: job
# expect: verdict denied
# must-not: more than 16 at once, the dead included
# control: none: it would take the host down
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
    line = {"id": "exhaust/080", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


made = 0
try:
    while made < 500:
        if os.fork() == 0:
            os._exit(0)
        made += 1
except OSError as error:
    say(made > 16, "%d, %s" % (made, error))
else:
    say(True, made)
