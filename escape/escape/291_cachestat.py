# id: escape/291
# technique: cachestat: how much of a file is in memory, and since when
# family: filesystem
# attacks: filtered-syscalls
# context: job
# reaches: what other runs read of the template
# expect: verdict denied
# must-not: an answer
# control: outside
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/291", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


one = os.open(os.__file__, os.O_RDONLY)
span = ctypes.create_string_buffer(16)
told = ctypes.create_string_buffer(40)
result, error = call(451, 451, one, span, told, 0)
# EPERM: newer kernels tell it to owners of the file alone.
none = error in (errno.ENOSYS, errno.EPERM)
say(result == 0 or not none, "result %d, errno %d" % (result, error), absent=none)
