# id: exhaust/204
# technique: looks for the marker that it leaves wherever it can write
# family: persistence
# attacks: verified-teardown
# context: job
# expect: verdict denied
# must-not: what an earlier run left
# control: none: outside it would find what it left itself
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/204", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = []
for folder in (".", "/tmp", "/dev/shm", "/run/stockade", os.environ["HOME"], "/var/tmp", "/run", "/run/lock"):
    name = os.path.join(folder, ".corpus-marker-7f3a")
    if os.path.exists(name):
        found.append(name)
    try:
        with open(name, "w") as one:
            one.write("left")
    except OSError:
        pass
say(found, found)
