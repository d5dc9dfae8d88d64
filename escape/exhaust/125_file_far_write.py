# id: exhaust/125
# technique: writes one byte far out
# family: disk
# attacks: file_size
# context: job
# expect: verdict denied
# must-not: a byte beyond `file_size`
# control: outside
# limits: file_size=2MiB
import errno
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/125", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = os.open("far", os.O_CREAT | os.O_RDWR)
try:
    os.pwrite(one, b"x", 16 << 20)
    say(True, os.fstat(one).st_size)
except OSError as error:
    say(error.errno != errno.EFBIG, error)
os.unlink("far")
