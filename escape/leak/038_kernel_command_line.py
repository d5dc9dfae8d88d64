# id: leak/038
# technique: the kernel's command line and configuration
# family: kernel
# attacks: no-host-files
# context: job
# reaches: root device, secrets passed at boot, which faults were built in
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/038", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/version",
    "/proc/bootconfig",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
