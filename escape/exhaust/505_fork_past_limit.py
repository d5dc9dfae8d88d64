# id: exhaust/505
# technique: fork as often again as is allowed, and no more
# family: processes
# attacks: processes
# context: job
# reaches: the process table; bounded by itself, so that it can be run where nothing holds it
# expect: verdict denied
# must-not: more processes at once than are allowed
# control: outside
# limits: processes=16
import json
import os

ALLOWED, TRIED = 16, 32
ours, theirs = os.pipe()
children = []
for _ in range(TRIED):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        os.close(theirs)
        os.read(ours, 1)  # Until the parent has counted.
        os._exit(0)
    children.append(pid)
os.close(theirs)
for pid in children:
    os.waitpid(pid, 0)
alive = len(children) + 1
verdict = "REACHED" if alive > ALLOWED else "DENIED"
print(json.dumps({"id": "exhaust/505", "verdict": verdict, "detail": alive}))
