# id: leak/043
# technique: the resolver's configuration and the network's own names
# family: network
# attacks: no-host-files
# context: job
# reaches: internal domains and addresses
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/043", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/etc/resolv.conf",
    "/run/systemd/resolve/resolv.conf",
    "/etc/hostname",
    "/etc/networks",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
