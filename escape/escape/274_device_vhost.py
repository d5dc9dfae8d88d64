# id: escape/274
# technique: open the vhost driver
# family: device
# attacks: no-host-files
# context: job
# reaches: rings in kernel threads
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
# seen-in: CVE-2019-14835
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/274", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/dev/vhost-vsock", os.O_RDWR))
    say(True, "opened")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
