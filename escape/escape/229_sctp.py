# id: escape/229
# technique: SCTP, whose module the host loads on demand
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: its code
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2019-8956
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/229", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(2, 1, 132).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
