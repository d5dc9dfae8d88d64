# id: escape/233
# technique: a socket to the kernel's ciphers
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: the crypto code
# expect: verdict denied
# must-not: a socket
# control: outside
# seen-in: CVE-2019-8912, CVE-2017-17805
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/233", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(38, 5, 0).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
