# id: exhaust/081
# technique: clone of processes that share memory and descriptors, past every library
# family: process-tree
# attacks: processes
# context: job
# expect: verdict denied
# must-not: more than 16 processes at once
# control: none: it would take the host down
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import errno
import json
import os
import signal
import time

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/081", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


made, error = 0, 0
while made < 500:
    # CLONE_FILES | CLONE_FS | CLONE_PARENT: a sibling, not a child.
    result, error = call(56, 220, 0x400 | 0x200 | 0x8000 | signal.SIGCHLD, 0, 0, 0, 0)
    if result == 0:
        while True:
            time.sleep(60)
    if result < 0:
        break
    made += 1
say(error != errno.EAGAIN or made > 16, "%d, errno %d" % (made, error))
