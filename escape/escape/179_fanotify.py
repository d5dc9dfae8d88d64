# id: escape/179
# technique: a group that watches a whole file system
# family: filesystem
# attacks: filtered-syscalls
# context: job
# reaches: what everybody does with the files
# expect: verdict denied
# must-not: a descriptor
# control: outside
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/179", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


result, error = call(300, 262, 0x200, 0)
none = error in (errno.EPERM, errno.ENOSYS)
say(result >= 0 or not none, "result %d, errno %d" % (result, error), absent=none)
