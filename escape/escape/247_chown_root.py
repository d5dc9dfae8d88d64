# id: escape/247
# technique: gives a file of its own to root, set-user-id
# family: privilege
# attacks: no-privileges
# context: job
# reaches: privilege by exec
# expect: verdict denied
# must-not: another owner
# control: outside
# needs: root
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/247", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("owned", "w"):
    pass
try:
    os.chown("owned", os.getuid(), 2 if os.getuid() == 0 else 0)
    os.chmod("owned", 0o6755)
    say(True, "given away")
except OSError as error:
    say(False, error)
os.unlink("owned")
