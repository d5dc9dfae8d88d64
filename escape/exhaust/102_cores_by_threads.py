# id: exhaust/102
# technique: threads in C code on every core
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
import threading
import time


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/102", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


import hashlib

begin = time.monotonic()
try:
    os.sched_setaffinity(0, range(64))
except OSError:
    pass


def burn():
    while time.monotonic() < begin + 0.6:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 5_000)


threads = [threading.Thread(target=burn) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

used, asked = sum(os.times()[:4]), time.monotonic() - begin
# The quota is for each tenth of a second, and the first and the last may be cut.
say(used > 1.05 * asked + 0.25, "%.2f s in %.2f s" % (used, asked))
