# id: escape/240
# technique: a connection to itself over loopback
# family: network
# attacks: no-network
# context: job
# reaches: an interface that is up
# expect: verdict denied
# must-not: a connection
# control: outside
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/240", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=2).close()
        say(True, "connected")
except OSError as error:
    say(False, error)
