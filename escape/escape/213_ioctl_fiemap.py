# id: escape/213
# technique: FIEMAP: where on the disk a file is
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: block numbers of the host's disk
# expect: verdict denied
# must-not: an answer
# control: outside
import errno
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/213", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = os.open(os.__file__, os.O_RDONLY)

try:
    fcntl.ioctl(one, 0xC020660B, bytes(32))
    say(True, "answered")
except OSError as error:
    say(error.errno not in (errno.ENOTTY, errno.EPERM), error, absent=error.errno == errno.EOPNOTSUPP)
