# id: leak/050
# technique: the account that logged in, and its session, as the audit system has them
# family: identity
# attacks: no-privileges
# context: job
# reaches: who the operator is
# expect: found false
# must-not: the uid of the person who started the supervisor
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/050", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in ("loginuid", "sessionid"):
    try:
        with open("/proc/self/" + name) as one:
            value = int(one.read())
    except OSError:
        continue
    if value not in (4294967295, 65534):
        found[name] = value
say("loginuid" in found, found, absent=not found)
