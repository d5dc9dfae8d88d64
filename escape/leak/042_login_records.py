# id: leak/042
# technique: who logged in, when, from where
# family: identity
# attacks: no-host-files
# context: job
# reaches: names of people and their addresses
# expect: found false
# must-not: one that can be read
# control: outside
# needs: root
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/042", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/var/run/utmp",
    "/var/log/wtmp",
    "/var/log/lastlog",
    "/var/log/auth.log",
    "/var/log/btmp",
)
found = {}
for name in names:
    try:
        with open(name, "rb") as one:
            found[name] = one.read(40)
    except OSError:
        pass
say(found, found, absent=not any(map(os.path.lexists, names)))
