# id: escape/254
# technique: opens the binary of its parent for writing by /proc/PID/exe
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: the runtime that starts every run
# expect: verdict denied
# must-not: it open, or busy
# control: outside
# needs: root
# seen-in: CVE-2019-5736 (runc)
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/254", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    os.close(os.open("/proc/%d/exe" % os.getppid(), os.O_WRONLY))
    say(True, "opened")
except OSError as error:
    # ETXTBSY: only the running keeps it from being written.
    say(error.errno == errno.ETXTBSY, error)
