# id: leak/035
# technique: network interfaces and their hardware addresses
# family: network
# attacks: no-network
# context: job
# reaches: MAC addresses, the kind of network
# expect: found false
# must-not: an interface but loopback
# control: outside
import json
import os
import socket


def say(found, detail, absent=False):
    line = {"id": "leak/035", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/net/dev") as table:
    names = {line.split(":")[0].strip() for line in table.read().splitlines()[2:]}
try:
    names |= {name for _, name in socket.if_nameindex()}
except OSError:
    pass
names |= set(os.listdir("/sys/class/net")) if os.path.isdir("/sys/class/net") else set()
names = {name for name in names if name not in ("lo", "bonding_masters")}
virtual = {"sit0", "tunl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6tnl0", "ip6gre0"}
say(names - virtual, names, absent=not names - virtual)
