# id: leak/009
# technique: accounts of the host
# family: identity
# attacks: no-host-files
# context: job
# reaches: accounts
# expect: found false
# must-not: a person's account
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/009", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with open("/etc/passwd") as table:
        names = [line.split(":")[0] for line in table]
except OSError:
    names = []
say(len(names) > 5, names)
