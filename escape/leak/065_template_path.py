# id: leak/065
# technique: where on the host the template lies
# family: filesystem
# attacks: separate-kernel
# context: job
# reaches: layout, the name of the user who runs it
# expect: found false
# must-not: a path of the host
# control: none: outside no directory need be mounted for its own
import json


def say(found, detail, absent=False):
    line = {"id": "leak/065", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/mountinfo") as table:
    roots = [line.split()[3] for line in table]
named = [root for root in roots if root.count("/") > 2]
say(named, named, absent=not named)
