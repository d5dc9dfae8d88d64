# id: leak/054
# technique: what is installed on the host
# family: identity
# attacks: no-host-files
# context: job
# reaches: versions with known faults, private package names
# expect: found false
# must-not: a package that the template does not name
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/054", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


import importlib.metadata

found = [one.metadata["Name"] for one in importlib.metadata.distributions()]
for name in ("/var/lib/dpkg/status", "/var/lib/rpm", "/lib/apk/db/installed", "/etc/apt/sources.list"):
    if os.path.exists(name):
        found.append(name)
say(found, found[:8], absent=not found)
