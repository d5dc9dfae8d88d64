# id: leak/039
# technique: tables of the kernel's memory and timers
# family: kernel
# attacks: no-host-files
# context: job
# reaches: layout of kernel memory, for its exploits; activity of others
# expect: found false
# must-not: one that can be read
# control: outside
# needs: root
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/039", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/proc/slabinfo",
    "/proc/vmallocinfo",
    "/proc/timer_list",
    "/proc/buddyinfo",
    "/proc/pagetypeinfo",
    "/proc/iomem",
    "/proc/kpagecount",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
