# id: escape/103
# technique: TCP to whatever listens on loopback
# family: network
# attacks: no-network
# context: job
# reaches: databases and administration bound to 127.0.0.1
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/103", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


ports = {22, 80, 443, 2375, 3306, 5432, 6379, 8000, 8080, 9200, 11211}
try:
    for line in open("/proc/net/tcp").read().splitlines()[1:]:
        _, local, _, state = line.split()[:4]
        if state == "0A":
            ports.add(int(local.split(":")[1], 16))
except OSError:
    pass
hits = []
for port in sorted(ports):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=0.3).close()
        hits.append(port)
    except OSError:
        pass
say(hits, hits, absent=not hits)
