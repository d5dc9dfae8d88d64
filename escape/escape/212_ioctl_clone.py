# id: escape/212
# technique: FICLONE: shares the blocks of another file
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: code of the file systems below
# expect: verdict denied
# must-not: an answer
# control: outside
import errno
import fcntl
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/212", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = open("cloned", "w")

try:
    fcntl.ioctl(one, 0x40049409, -1)
    say(True, "answered")
except OSError as error:
    say(error.errno not in (errno.ENOTTY, errno.EPERM), error)
