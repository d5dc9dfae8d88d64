# id: exhaust/506
# technique: leave the processors that it was pinned to, and burn on all of them
# family: cpu
# attacks: cpus
# context: job
# reaches: processors of others
# expect: verdict denied
# must-not: half as much CPU time again as one processor gives
# control: none: how much CPU time there is outside depends on what else is going on
# limits: cpus=1, cpu=10s
import json
import os
import resource
import time

CHILDREN, SECONDS = 3, 0.6
begun = time.monotonic()
for _ in range(CHILDREN):
    if os.fork() == 0:
        try:
            os.sched_setaffinity(0, range(1024))
        except OSError:
            pass
        while time.monotonic() < begun + SECONDS:
            pass
        os._exit(0)
for _ in range(CHILDREN):
    os.wait()
took = time.monotonic() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
share = (used.ru_utime + used.ru_stime) / took
verdict = "REACHED" if share > 1.5 else "DENIED"
print(json.dumps({"id": "exhaust/506", "verdict": verdict, "detail": round(share, 2)}))
