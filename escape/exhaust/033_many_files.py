# id: exhaust/033
# technique: files that are each below the limit of one
# family: disk
# attacks: disk
# context: job
# expect: verdict denied
# must-not: more than `disk` in all
# control: none: it would fill the host's disk
# limits: disk=8MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/033", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


count = 0
try:
    while count < 256:
        with open("f%d" % count, "wb", buffering=0) as fill:
            fill.write(bytes(1 << 20))
        count += 1
except OSError as error:
    say(count > 8, "%d MiB, %s" % (count, error))
else:
    say(True, "%d MiB" % count)
