# id: escape/246
# technique: sets an attribute of overlay file systems
# family: filesystem
# attacks: no-privileges
# context: job
# reaches: what a lower layer hides
# expect: verdict denied
# must-not: the attribute set
# control: outside
# needs: root
# seen-in: CVE-2023-0386 class
import errno
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/246", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("opaque", "w"):
    pass
try:
    os.setxattr("opaque", "trusted.overlay.opaque", b"y")
    say(True, "set")
except OSError as error:
    say(False, error, absent=error.errno == errno.EOPNOTSUPP)
os.unlink("opaque")
