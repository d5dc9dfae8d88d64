# id: leak/059
# technique: usage of other groups of processes
# family: cgroup
# attacks: no-host-files
# context: job
# reaches: names of services and containers, what they use
# expect: found false
# must-not: a file of a cgroup
# control: outside
# needs: cgroup
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/059", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = []
for folder, folders, names in os.walk("/sys/fs/cgroup"):
    found += [os.path.join(folder, name) for name in names if name in ("cgroup.procs", "memory.stat")]
    if len(found) > 4:
        break
say(found, found, absent=not found)
