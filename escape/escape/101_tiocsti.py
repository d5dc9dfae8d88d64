# id: escape/101
# technique: push characters into the controlling terminal
# family: terminal
# attacks: no-host-files
# context: job
# reaches: the operator's shell
# expect: verdict denied
# must-not: verdict REACHED
# control: none: a process without a terminal has nothing to show, and with one it types for the
#   operator
# seen-in: CVE-2017-5226 (bubblewrap)
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/101", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    terminal = os.open("/dev/tty", os.O_RDWR)
    fcntl.ioctl(terminal, 0x5412, b"\0")
    say(True, "a NUL was pushed")
except OSError as error:
    say(False, error)
