# id: escape/074
# technique: open the interpreter's own binary for writing by /proc/self/exe
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: the interpreter that other runs and the host share
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
# seen-in: CVE-2019-5736 (runc)
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/074", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/proc/self/exe", os.O_WRONLY))
    say(True, "opened")
except OSError as error:
    # ETXTBSY: only the running keeps it from being written.
    say(error.errno not in (errno.EPERM, errno.EACCES, errno.EROFS), error)
