# id: escape/288
# technique: writes a map of users for itself and for a child
# family: privilege
# attacks: no-privileges
# context: job
# reaches: root in a namespace, and files made by it
# expect: verdict denied
# must-not: uid 0, or a map written
# control: outside
# needs: root
# seen-in: CVE-2018-18955
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/288", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name, text in (("setgroups", "deny"), ("gid_map", "0 0 1"), ("uid_map", "0 0 1")):
    try:
        with open("/proc/self/" + name, "w") as table:
            table.write(text)
        hits.append(name)
    except OSError:
        pass
say(hits or os.getuid() == 0, "%s, uid %d" % (hits, os.getuid()))
