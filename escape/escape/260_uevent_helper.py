# id: escape/260
# technique: open the helper for device events for writing
# family: kernel-surface
# attacks: no-privileges
# context: job
# reaches: a program run as root at the next device
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/260", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/sys/kernel/uevent_helper", os.O_WRONLY))
    say(True, "opened, and nothing written")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
