# id: escape/219
# technique: a netlink socket to netfilter: nf_tables
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: the rules of packet filters
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2022-32250, CVE-2024-1086
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/219", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(16, 3, 12).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
