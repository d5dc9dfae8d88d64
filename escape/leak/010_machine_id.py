# id: leak/010
# technique: identifiers of the machine that stay
# family: identity
# attacks: no-host-files
# context: job
# reaches: following a program over runs and tenants
# expect: found false
# must-not: one of the host's
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/010", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in (
    "/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid", "/proc/device-tree/serial-number",
    "/sys/class/dmi/id/product_uuid", "/sys/hypervisor/uuid", "/sys/class/net/eth0/address",
):
    try:
        with open(name, "rb") as one:
            found[name] = one.read(64)
    except OSError:
        pass
say(found, found, absent=not found)
