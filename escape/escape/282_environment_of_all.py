# id: escape/282
# technique: reads the environment of every process
# family: process
# attacks: empty-environment
# context: job
# reaches: secrets that services were started with
# expect: verdict denied
# must-not: a byte of one
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/282", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) != os.getpid():
        try:
            with open("/proc/%s/environ" % name, "rb") as one:
                if one.read(1):
                    hits.append(int(name))
        except OSError:
            pass
say(hits, hits[:10])
