# id: leak/040
# technique: the identifier of this boot
# family: identity
# attacks: no-host-files
# context: job
# reaches: that two runs were on one machine
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/040", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/random/uuid",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
