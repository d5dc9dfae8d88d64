# id: escape/211
# technique: FS_IOC_GETFLAGS on its own file
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: immutable files that teardown cannot remove
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
    line = {"id": "escape/211", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = open("flagged", "w")

try:
    fcntl.ioctl(one, 0x80086601, bytes(8))
    say(True, "answered")
except OSError as error:
    say(error.errno not in (errno.ENOTTY, errno.EPERM), error, absent=True)
