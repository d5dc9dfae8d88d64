# id: escape/265
# technique: open a network setting for writing
# family: kernel-surface
# attacks: no-privileges
# context: job
# reaches: the host's routing
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/265", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/proc/sys/net/ipv4/ip_forward", os.O_WRONLY))
    say(True, "opened, and nothing written")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
