# id: leak/034
# technique: routes, neighbours and open ports
# family: network
# attacks: no-network
# context: job
# reaches: the network's layout
# expect: found false
# must-not: a route, a neighbour or a port
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/034", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in ("route", "arp", "tcp", "udp", "ipv6_route", "if_inet6"):
    try:
        with open("/proc/self/net/" + name) as table:
            lines = [line for line in table.read().splitlines() if "lo" != line.split()[-1]]
    except (OSError, IndexError):
        continue
    if name in ("ipv6_route", "if_inet6"):
        found[name] = lines[:2]
    else:
        found[name] = lines[1:3]
found = {name: lines for name, lines in found.items() if lines}
say(found, found, absent=not found)
