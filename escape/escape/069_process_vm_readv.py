# id: escape/069
# technique: read the parent's memory without attaching to it
# family: process
# attacks: separate-address-space
# context: job
# reaches: the supervisor's memory
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/069", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


class Range(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


room = ctypes.create_string_buffer(8)
here, there = Range(ctypes.addressof(room), 8), Range(0x400000, 8)
result, error = call(
    310, 270, os.getppid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0
)
# EFAULT: the address was wrong, and not the permission.
say(result >= 0 or error == errno.EFAULT, "result %d, errno %d" % (result, error))
