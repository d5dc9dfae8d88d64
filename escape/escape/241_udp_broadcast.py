# id: escape/241
# technique: a datagram to everybody on the network segment
# family: network
# attacks: no-network
# context: job
# reaches: neighbours on the segment
# expect: verdict denied
# must-not: a datagram sent
# control: outside
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/241", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        # To itself alone: that the option is granted is what matters.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        one.sendto(b"", ("127.0.0.1", 9))
        say(True, "sent")
except OSError as error:
    say(False, error)
