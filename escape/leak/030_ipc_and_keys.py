# id: leak/030
# technique: System V objects, POSIX queues and key rings in sight
# family: ipc
# attacks: no-host-processes
# context: job
# reaches: shared memory of neighbours, session keys
# expect: found false
# must-not: an object that was not made here
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/030", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in ("sysvipc/shm", "sysvipc/msg", "sysvipc/sem"):
    try:
        with open("/proc/" + name) as table:
            found[name] = table.read().splitlines()[1:4]
    except OSError:
        pass
try:
    with open("/proc/keys") as table:
        found["keys"] = table.read().splitlines()[:2]
except OSError:
    pass
try:
    found["mqueue"] = os.listdir("/dev/mqueue")
except OSError:
    pass
say(any(found.values()), found, absent=not any(found.values()))
