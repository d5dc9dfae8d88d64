# id: exhaust/079
# technique: threads until refused
# family: process-tree
# attacks: processes
# context: job
# expect: verdict denied
# must-not: more than 16 threads at once
# control: none: it would take the host down
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json
import threading


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/079", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


gate = threading.Event()
made = 0
threading.stack_size(64 << 10)
try:
    while made < 500:
        threading.Thread(target=gate.wait, daemon=True).start()
        made += 1
except RuntimeError as error:
    say(made > 16, "%d, %s" % (made, error))
else:
    say(True, made)
gate.set()
