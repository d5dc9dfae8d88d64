# id: escape/261
# technique: open a device's uevent for writing
# family: kernel-surface
# attacks: no-privileges
# context: job
# reaches: the helper run at will
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
# seen-in: uevent_helper container escapes
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/261", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/sys/class/mem/null/uevent", os.O_WRONLY))
    say(True, "opened, and nothing written")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
