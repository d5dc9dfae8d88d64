# id: leak/037
# technique: addresses and build of the kernel in sysfs
# family: kernel
# attacks: no-host-files
# context: job
# reaches: the kernel's build, and with it its gadgets
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/037", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/sys/kernel/notes",
    "/sys/kernel/vmcoreinfo",
    "/sys/kernel/btf/vmlinux",
    "/sys/module/kernel/parameters/panic",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
