# id: leak/041
# technique: who holds locks on which files
# family: process
# attacks: no-host-files
# context: job
# reaches: process numbers and files of the host
# expect: found false
# must-not: one that can be read
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/041", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/proc/locks",
    "/proc/fs/nfsd/versions",
    "/proc/sys/fs/file-nr",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
