# id: leak/044
# technique: files by which containers are told apart
# family: identity
# attacks: no-host-files
# context: job
# reaches: which orchestrator and which instance this is
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/044", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/.dockerenv",
    "/run/.containerenv",
    "/container_info.json",
    "/run/secrets/kubernetes.io/serviceaccount/namespace",
    "/etc/podinfo/labels",
    "/var/lib/cloud/data/instance-id",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
