# id: escape/228
# technique: multipath TCP
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: its code
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2025-40258 class
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/228", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(2, 1, 262).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
