# id: escape/227
# technique: a ping socket
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: reachability without TCP
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2015-3636
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/227", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(2, 2, 1).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT, errno.EACCES)
    say(False, error, absent=none)
