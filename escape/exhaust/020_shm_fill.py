# id: exhaust/020
# technique: fills /dev/shm with one file
# family: disk
# attacks: disk
# context: job
# expect: verdict denied
# must-not: more than `disk` written
# control: none: it would fill the host's
# limits: disk=8MiB, file_size=1GiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/020", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


written = 0
try:
    with open("/dev/shm/corpus-fill", "wb", buffering=0) as fill:
        while written < 64 << 20:
            written += fill.write(bytes(1 << 20))
except OSError as error:
    say(written > 8 << 20, "%d bytes, %s" % (written, error))
else:
    say(True, "%d bytes" % written)
