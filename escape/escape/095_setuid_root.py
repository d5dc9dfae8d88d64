# id: escape/095
# technique: setuid, seteuid, setgid and setegid to 0
# family: privilege
# attacks: no-privileges
# context: job
# reaches: root
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/095", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = ["root already"] if os.getuid() == 0 else []
for change in (os.seteuid, os.setegid, os.setuid, os.setgid):
    try:
        change(0)
        hits.append(change.__name__)
    except OSError:
        pass
say(hits, hits)
