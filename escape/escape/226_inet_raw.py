# id: escape/226
# technique: a raw IP socket
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: forged packets
# expect: verdict denied
# must-not: a socket
# control: outside
# needs: root
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/226", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(2, 3, 255).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
