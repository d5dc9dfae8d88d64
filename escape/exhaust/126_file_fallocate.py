# id: exhaust/126
# technique: has room set aside beyond the limit
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
    line = {"id": "exhaust/126", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = os.open("aside", os.O_CREAT | os.O_RDWR)
try:
    os.posix_fallocate(one, 0, 3 << 20)
    say(True, os.fstat(one).st_size)
except OSError as error:
    say(error.errno != errno.EFBIG, error)
os.unlink("aside")
