# id: leak/055
# technique: names of the people who have a home here
# family: identity
# attacks: no-host-files
# context: job
# reaches: names of people, what they use
# expect: found false
# must-not: any name
# control: outside
# needs: root
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/055", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = []
for folder in ("/home", "/root", "/Users", "/var/mail", "/var/spool/cron", "/run/user"):
    try:
        found += [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        pass
say(found, found[:6], absent=not found)
