# id: escape/296
# technique: the files and sockets of Stockade itself
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: the supervisor's own interface
# expect: verdict denied
# must-not: a file of the supervisor
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/296", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for folder in ("/run/stockade", "/var/run/stockade", "/tmp/stockade", "/var/cache/stockade"):
    for place, folders, names in os.walk(folder):
        for name in names + folders:
            hits.append(os.path.join(place, name))
say(hits, hits[:5], absent=not hits)
