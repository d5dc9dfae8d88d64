# id: escape/276
# technique: open the console for writing
# family: device
# attacks: no-host-files
# context: job
# reaches: the operator's screen
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/276", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/dev/console", os.O_WRONLY | os.O_NOCTTY))
    say(True, "opened, and nothing written")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
