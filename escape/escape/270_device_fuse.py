# id: escape/270
# technique: open FUSE
# family: device
# attacks: no-host-files
# context: job
# reaches: file systems that answer when the attacker likes
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/270", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/dev/fuse", os.O_RDWR))
    say(True, "opened")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
