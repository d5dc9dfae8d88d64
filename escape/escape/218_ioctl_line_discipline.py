# id: escape/218
# technique: TIOCSETD: n_gsm and its kin on a terminal of its own
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: line disciplines as modules
# expect: verdict denied
# must-not: an answer
# control: outside
# seen-in: CVE-2023-6546 (n_gsm), CVE-2020-14416
import errno
import fcntl
import json
import os
import struct


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/218", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    master, slave = os.openpty()
except OSError as error:
    say(False, error)
else:
    try:
        # 28 disciplines exist; this one does not, and the kernel asks for its module.
        fcntl.ioctl(slave, 0x5423, struct.pack("i", 29))
        say(True, "set")
    except OSError as error:
        # EPERM: the host loads none on demand (dev.tty.ldisc_autoload).
        say(error.errno not in (errno.ENOTTY, errno.EPERM), error, absent=True)
