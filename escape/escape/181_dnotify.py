# id: escape/181
# technique: F_NOTIFY on a directory: the watch of old
# family: filesystem
# attacks: filtered-syscalls
# context: job
# reaches: what other runs import, and when
# expect: verdict denied
# must-not: a watch
# control: outside
import errno
import fcntl
import json
import os
import signal


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/181", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


signal.signal(signal.SIGIO, signal.SIG_IGN)
here = os.open(".", os.O_RDONLY)
try:
    fcntl.fcntl(here, 1026, 2)
    say(True, "watched")
except OSError as error:
    say(False, error, absent=error.errno == errno.EINVAL)
