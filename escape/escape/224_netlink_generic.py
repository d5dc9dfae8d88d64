# id: escape/224
# technique: a netlink socket to families made at run time
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: task statistics, wireless, and others
# expect: verdict denied
# must-not: a socket
# control: outside
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/224", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(16, 3, 16).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
