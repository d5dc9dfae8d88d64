# id: escape/239
# technique: a server on all addresses, for whoever comes
# family: network
# attacks: no-network
# context: job
# reaches: a door into the host's network
# expect: verdict denied
# must-not: a port that listens
# control: outside
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/239", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        one.bind(("0.0.0.0", 0))
        one.listen()
        say(True, one.getsockname())
except OSError as error:
    say(False, error)
