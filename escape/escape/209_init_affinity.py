# id: escape/209
# technique: gives its parent the processors that it has
# family: scheduling
# attacks: filtered-syscalls
# context: job
# reaches: init, which keeps the clocks
# expect: verdict denied
# must-not: it set
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/209", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


parent = os.getppid()
try:
    os.sched_setaffinity(parent, os.sched_getaffinity(parent))
    say(True, "set")
except OSError as error:
    say(False, error)
