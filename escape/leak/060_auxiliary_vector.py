# id: leak/060
# technique: the parent's memory layout, by its auxiliary vector and stat
# family: process
# attacks: separate-address-space
# context: job
# reaches: address randomisation of the supervisor's side
# expect: found false
# must-not: an address of the parent's
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/060", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
parent = os.getppid()
for name in ("auxv", "syscall", "smaps"):
    try:
        with open("/proc/%d/%s" % (parent, name), "rb") as one:
            found[name] = one.read(16)
    except OSError:
        pass
try:
    with open("/proc/%d/stat" % parent) as one:
        fields = one.read().rsplit(")", 1)[1].split()
    # startcode, endcode, startstack, kstkesp: 0 where one may not trace it.
    layout = [field for field in fields[23:27] if field not in ("0", "1")]
    if layout:
        found["stat"] = layout
except OSError:
    pass
say(found, found)
