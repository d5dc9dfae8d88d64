# id: escape/231
# technique: a socket to the hypervisor
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: agents of the machine's own host
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2021-26708, CVE-2024-50264
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/231", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(40, 1, 0).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
