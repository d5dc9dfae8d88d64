# id: leak/045
# technique: disks and partitions
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: the machine's storage
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/045", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/proc/partitions",
    "/sys/block/vda/size",
    "/sys/block/sda/size",
    "/etc/mtab",
    "/proc/mdstat",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
