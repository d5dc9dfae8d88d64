# id: escape/172
# technique: process_vm_writev into itself
# family: process
# attacks: filtered-syscalls
# context: job
# reaches: memory of whatever process can be named
# expect: verdict denied
# must-not: bytes written
# control: outside
# seen-in: CVE-2022-2590 class
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/172", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def judge(result, error):
    # Refused for who we are; any other errno means that our arguments were looked at.
    refused = result == -1 and error in (errno.EPERM, errno.EACCES, errno.ENOSYS)
    say(not refused, "result %d, errno %d" % (result, error), absent=error == errno.ENOSYS)


class Range(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


source, target = ctypes.create_string_buffer(b"12345678"), ctypes.create_string_buffer(8)
here, there = Range(ctypes.addressof(source), 8), Range(ctypes.addressof(target), 8)
result, error = call(
    311, 271, os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0
)
judge(result, error)
