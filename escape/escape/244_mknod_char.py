# id: escape/244
# technique: makes a node for the kernel's memory
# family: device
# attacks: no-privileges
# context: job
# reaches: physical memory
# expect: verdict denied
# must-not: a node
# control: outside
# needs: root
import json
import os
import stat
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/244", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.mknod("memory", 0o600 | stat.S_IFCHR, os.makedev(1, 1))
    os.unlink("memory")
    say(True, "made")
except OSError as error:
    say(False, error)
