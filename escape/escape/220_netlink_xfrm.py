# id: escape/220
# technique: a netlink socket to IPsec
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: security associations
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2017-7184
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/220", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(16, 3, 6).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
