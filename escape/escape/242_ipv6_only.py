# id: escape/242
# technique: IPv6, where filters were made for IPv4
# family: network
# attacks: no-network
# context: job
# reaches: the other half of the network
# expect: verdict denied
# must-not: an address
# control: outside
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/242", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as one:
        one.bind(("::1", 0))
        say(True, one.getsockname())
except OSError as error:
    say(False, error, absent=True)
