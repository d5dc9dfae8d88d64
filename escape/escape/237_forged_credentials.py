# id: escape/237
# technique: SCM_CREDENTIALS that say process 1 and root
# family: network
# attacks: no-privileges
# context: job
# reaches: services that believe them
# expect: verdict denied
# must-not: a message with them
# control: outside
# needs: root
import json
import socket
import struct


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/237", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
try:
    one.sendmsg([b"x"], [(socket.SOL_SOCKET, 2, struct.pack("iII", 1, 0, 0))])
    say(True, "sent")
except OSError as error:
    say(False, error)
