# id: exhaust/023
# technique: descriptors sent and never received, which no table counts
# family: descriptors
# attacks: open_files, memory
# context: job
# expect: verdict denied
# must-not: more sockets than `open_files`, or a hundred thousand descriptors in flight
# control: none: it would take the host's memory
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import array
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/023", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


keep, sent = [], 0
try:
    while sent < 10**6:
        pair = socket.socketpair()
        keep.append(pair)
        one = array.array("i", [pair[1].fileno()] * 200)
        while True:
            pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, one)])
            sent += len(one)
            if sent > 10**6:
                break
            pair[0].setblocking(False)
except OSError as error:
    say(len(keep) > 32 or sent > 10**5, "%d pairs, %d in flight, %s" % (len(keep), sent, error))
else:
    say(True, "%d in flight" % sent)
