# id: escape/214
# technique: NS_GET_NSTYPE on its own namespace
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: the namespaces above its own
# expect: verdict denied
# must-not: an answer
# control: outside
import errno
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/214", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


here = os.open("/proc/self/ns/user", os.O_RDONLY)

try:
    fcntl.ioctl(here, 0xB703, 0)
    say(True, "answered")
except OSError as error:
    say(error.errno not in (errno.ENOTTY, errno.EPERM), error)
