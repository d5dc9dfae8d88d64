# id: leak/058
# technique: connects to every abstract socket that is listed, and to well-known ones
# family: network
# attacks: no-network
# context: job
# reaches: X servers, message buses, agents
# expect: found false
# must-not: a connection
# control: outside
# seen-in: CVE-2020-15257 (containerd-shim)
import json
import socket


def say(found, detail, absent=False):
    line = {"id": "leak/058", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = {"/tmp/.X11-unix/X0", "/tmp/dbus-system", "/org/kernel/linux/storage/multipathd"}
try:
    with open("/proc/self/net/unix") as table:
        names |= {line.split()[-1][1:] for line in table if line.split()[-1].startswith("@")}
except OSError:
    pass
hits = []
for name in sorted(names):
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as one:
            try:
                one.connect("\0" + name)
                hits.append(name)
            except OSError:
                pass
say(hits, hits, absent=not hits)
