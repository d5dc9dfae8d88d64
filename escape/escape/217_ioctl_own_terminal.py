# id: escape/217
# technique: a terminal of its own, and TIOCSTI on it
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: the code of terminals
# expect: verdict denied
# must-not: an answer
# control: outside
# seen-in: CVE-2023-28322; CVE-2014-0196 (pty)
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/217", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    master, slave = os.openpty()
except OSError as error:
    say(False, error)
else:
    try:
        fcntl.ioctl(slave, 0x5412, b"x")
        say(True, "pushed")
    except OSError as error:
        # EIO, EPERM: the host has switched it off for everybody.
        say(False, error, absent=True)
