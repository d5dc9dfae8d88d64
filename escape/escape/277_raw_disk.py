# id: escape/277
# technique: opens the host's disks
# family: device
# attacks: no-host-files
# context: job
# reaches: every file, past every permission
# expect: verdict denied
# must-not: a disk opened
# control: outside
# needs: root
import json
import os
import stat


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/277", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found, hits = [], []
for name in os.listdir("/dev"):
    path = "/dev/" + name
    try:
        if stat.S_ISBLK(os.stat(path).st_mode):
            found.append(name)
            os.close(os.open(path, os.O_RDONLY))
            hits.append(name)
    except OSError:
        pass
say(hits, hits[:6], absent=not found)
