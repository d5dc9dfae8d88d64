# id: escape/234
# technique: AF_INET, the usual socket
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: TCP to anybody
# expect: verdict denied
# must-not: a socket
# control: outside
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/234", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(2, 1, 0).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
