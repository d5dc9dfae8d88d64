# id: escape/188
# technique: a pipe for notifications, and its filter
# family: pipe
# attacks: filtered-syscalls
# context: job
# reaches: an out-of-bounds write in the filter
# expect: verdict denied
# must-not: a size accepted
# control: outside
# seen-in: CVE-2022-0995
import errno
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/188", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    reader, writer = os.pipe2(os.O_EXCL)
except OSError as error:
    say(False, error, absent=True)
else:
    try:
        fcntl.ioctl(reader, 0x5760, 1)
        say(True, "sized")
    except OSError as error:
        say(error.errno not in (errno.ENOTTY, errno.EPERM), error)
