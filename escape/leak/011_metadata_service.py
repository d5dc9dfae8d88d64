# id: leak/011
# technique: a route to the addresses of cloud metadata
# family: network
# attacks: no-network
# context: job
# reaches: credentials of the machine's role
# expect: found false
# must-not: a way there, though nobody answers
# control: outside
import json
import socket


def say(found, detail, absent=False):
    line = {"id": "leak/011", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
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


hosts = ("169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")
found = {host: route(host, 80) for host in hosts if route(host, 80)}
say(found, found, absent=not found)
