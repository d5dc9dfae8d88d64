# id: escape/072
# technique: descriptors left open across the exec
# family: descriptors
# attacks: empty-environment
# context: job
# reaches: logs, listening sockets, control pipes of the supervisor
# expect: verdict denied
# must-not: a descriptor above 2
# control: none: a clean child has none; the weakened jail that leaves some open is caught by this
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/072", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = []
for name in os.listdir("/proc/self/fd"):
    try:
        if int(name) > 2:
            found.append((name, os.readlink("/proc/self/fd/" + name)))
    except OSError:
        pass  # The one that was open to list them.
say(found, found)
