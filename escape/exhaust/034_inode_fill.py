# id: exhaust/034
# technique: empty files until refused
# family: disk
# attacks: disk, memory
# context: job
# expect: verdict denied
# must-not: more files than the scratch file system has inodes
# control: none: it would use up the host's inodes
# limits: memory=256MiB, cpu=20s, wall=20s
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
    line = {"id": "exhaust/034", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


count = 0
try:
    while count < 200_000:
        os.mknod("i%d" % count)
        count += 1
except OSError as error:
    say(count > 65_600, "%d files, %s" % (count, error))
else:
    say(True, "%d files" % count)
