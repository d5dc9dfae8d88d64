# id: escape/098
# technique: open core_pattern for writing
# family: kernel-surface
# attacks: no-privileges
# context: job
# reaches: a program run as root on the host at the next crash
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
# seen-in: CVE-2019-5736 write-ups; CVE-2022-0811 (cr8escape)
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/098", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
    say(True, "opened, and nothing written")
except OSError as error:
    say(False, error, absent=error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV))
