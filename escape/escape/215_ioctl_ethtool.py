# id: escape/215
# technique: SIOCETHTOOL by a socket that is no network's
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: drivers of network cards
# expect: verdict denied
# must-not: an answer
# control: outside
import errno
import fcntl
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/215", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = socket.socket(socket.AF_UNIX)

try:
    fcntl.ioctl(one, 0x8946, bytes(40))
    say(True, "answered")
except OSError as error:
    say(error.errno not in (errno.ENOTTY, errno.EPERM), error)
