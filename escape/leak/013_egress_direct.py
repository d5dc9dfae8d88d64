# id: leak/013
# technique: a route to fixed addresses, no name needed
# family: network
# attacks: no-network
# context: job
# reaches: data out
# expect: found false
# must-not: a way to anybody
# control: outside
import json
import socket


def say(found, detail, absent=False):
    line = {"id": "leak/013", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def route(host, port):
    # Connecting a datagram socket sends nothing: it asks whether there is a way.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.connect((host, port))
            return one.getsockname()[0]
    except OSError:
        return None


hosts = ("1.1.1.1", "8.8.8.8", "10.0.0.1", "192.168.0.1", "2606:4700:4700::1111")
found = {host: route(host, 443) for host in hosts if route(host, 443)}
say(found, found, absent=not found)
