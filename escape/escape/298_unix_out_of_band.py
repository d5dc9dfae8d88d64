# id: escape/298
# technique: out-of-band data on a local socket: sent, peeked at, and consumed
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: a family that every sandbox allows, and its rarely used code
# expect: verdict denied
# must-not: a byte sent out of band
# control: outside
# seen-in: CVE-2025-38236 (Chrome's renderer sandbox)
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/298", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one, other = socket.socketpair()
try:
    one.send(b"x", socket.MSG_OOB)
    say(True, "sent")
except OSError as error:
    say(False, error, absent=error.errno == errno.EOPNOTSUPP)
