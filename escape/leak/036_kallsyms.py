# id: leak/036
# technique: addresses of the kernel's functions
# family: kernel
# attacks: no-host-files
# context: job
# reaches: the kernel's address randomisation
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/036", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/modules",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
