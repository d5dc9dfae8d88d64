# id: exhaust/101
# technique: a busy process pinned to each core that there is
# family: cpu
# attacks: cpus
# context: job
# expect: verdict denied
# must-not: more than one core's worth
# control: none: it would take all of the host's cores
# needs: cgroup
# limits: cpus=1, cpu=6s
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json
import os
import time


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/101", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


begin = time.monotonic()
everywhere = range(os.cpu_count() or 8)
children = []
for place in range(8):
    pid = os.fork()
    if pid == 0:
        try:
            os.sched_setaffinity(0, {place % len(everywhere)})
        except OSError:
            pass
        while time.monotonic() < begin + 0.6:
            pass
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)

used, asked = sum(os.times()[:4]), time.monotonic() - begin
# The quota is for each tenth of a second, and the first and the last may be cut.
say(used > 1.05 * asked + 0.25, "%.2f s in %.2f s" % (used, asked))
