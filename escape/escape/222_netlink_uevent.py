# id: escape/222
# technique: a netlink socket that hears of devices
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: what is plugged in on the host
# expect: verdict denied
# must-not: a socket
# control: outside
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/222", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(16, 2, 15).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
