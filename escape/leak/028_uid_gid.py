# id: leak/028
# technique: user, groups and their place in the host
# family: identity
# attacks: no-privileges
# context: job
# reaches: which account this is
# expect: found false
# must-not: uid 0 of the host, or a group more
# control: outside
# needs: root
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/028", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/uid_map") as table:
    whole = table.read().split()[:3] == ["0", "0", "4294967295"]
ids = set(os.getresuid() + os.getresgid())
say((0 in ids and whole) or set(os.getgroups()) - ids, "%s %s" % (ids, os.getgroups()), absent=not whole)
