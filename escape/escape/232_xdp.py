# id: escape/232
# technique: an AF_XDP socket
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: packet rings in user memory
# expect: verdict denied
# must-not: a socket
# control: outside
# needs: root
# seen-in: CVE-2022-3625 class
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/232", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(44, 3, 0).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
