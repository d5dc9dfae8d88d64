# id: escape/243
# technique: makes a device node of its own: a disk
# family: device
# attacks: no-privileges
# context: job
# reaches: the host's disks, past every path
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
    line = {"id": "escape/243", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(7, 0))
    os.unlink("disk")
    say(True, "made")
except OSError as error:
    say(False, error)
