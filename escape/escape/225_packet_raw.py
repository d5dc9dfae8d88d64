# id: escape/225
# technique: a raw packet socket
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: everybody's packets
# expect: verdict denied
# must-not: a socket
# control: outside
# needs: root
# seen-in: CVE-2016-8655, CVE-2017-7308, CVE-2020-14386
import errno
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/225", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    socket.socket(17, 3, 768).close()
    say(True, "opened")
except OSError as error:
    none = error.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT)
    say(False, error, absent=none)
