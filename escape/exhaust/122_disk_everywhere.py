# id: exhaust/122
# technique: fills every directory that can be written to: are they one size or many
# family: disk
# attacks: disk
# context: job
# expect: verdict denied
# must-not: more than `disk` in all of them together
# control: none: it would fill the host's disk
# limits: disk=8MiB, file_size=64MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/122", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


held = {}
for folder in (".", "/tmp", "/dev/shm", "/run/stockade", "/var/tmp", "/tmp/home", os.environ["HOME"]):
    name = os.path.join(folder, "fill%d" % len(held))
    size = 0
    try:
        with open(name, "wb", buffering=0) as fill:
            while size < 32 << 20:
                wrote = fill.write(bytes(1 << 16))
                size += wrote
                if wrote < 1 << 16:
                    break
    except OSError:
        pass
    held[folder] = size
say(sum(held.values()) > (8 << 20) + (256 << 10), held)
