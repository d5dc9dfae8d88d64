# id: escape/245
# technique: gives a file of its own a capability
# family: privilege
# attacks: no-privileges
# context: job
# reaches: privilege by exec
# expect: verdict denied
# must-not: the attribute set
# control: outside
# needs: root
# seen-in: CVE-2021-3493 (OverlayFS)
import json
import os
import struct
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/245", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("capable", "w"):
    pass
# Version 2, effective, CAP_CHOWN.
value = struct.pack("<IIIII", 0x02000001, 1, 0, 0, 0)
try:
    os.setxattr("capable", "security.capability", value)
    say(True, "set")
except OSError as error:
    say(False, error)
os.unlink("capable")
