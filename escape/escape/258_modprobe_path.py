# id: escape/258
# technique: open modprobe's path for writing
# family: kernel-surface
# attacks: no-privileges
# context: job
# reaches: a program run as root at the next unknown module
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/258", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/proc/sys/kernel/modprobe", os.O_WRONLY))
    say(True, "opened, and nothing written")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
