# id: escape/067
# technique: read environment, memory map, memory and directory of the parent
# family: process
# attacks: separate-address-space
# context: job
# reaches: the supervisor's secrets
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/067", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


parent = os.getppid()
hits = []
for name in ("environ", "maps", "mem"):
    try:
        os.close(os.open("/proc/%d/%s" % (parent, name), os.O_RDONLY))
        hits.append(name)
    except OSError:
        pass
try:
    hits.append(os.readlink("/proc/%d/cwd" % parent))
except OSError:
    pass
say(hits, "parent %d: %s" % (parent, hits))
