# id: leak/046
# technique: the path of its own cgroup
# family: cgroup
# attacks: no-host-files
# context: job
# reaches: the run's name, the service's, the container's
# expect: found false
# must-not: a path above its own group
# control: outside
# needs: cgroup
import json


def say(found, detail, absent=False):
    line = {"id": "leak/046", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/cgroup") as table:
    paths = [line.split(":", 2)[2] for line in table.read().splitlines()]
strange = [path for path in paths if path != "/"]
say(strange, paths, absent=not strange)
