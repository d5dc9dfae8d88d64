# id: escape/182
# technique: F_SETLEASE on its own file: whoever opens it waits
# family: filesystem
# attacks: filtered-syscalls
# context: job
# reaches: init, which opens the result and would wait for 45 s
# expect: verdict denied
# must-not: a lease
# control: outside
import errno
import fcntl
import json
import os
import signal
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/182", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


signal.signal(signal.SIGIO, signal.SIG_IGN)
with open("leased", "w") as one:
    try:
        fcntl.fcntl(one, 1024, fcntl.F_WRLCK)
        say(True, "leased")
    except OSError as error:
        say(False, error, absent=error.errno == errno.EAGAIN)
os.unlink("leased")
