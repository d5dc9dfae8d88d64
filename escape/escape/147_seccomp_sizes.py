# id: escape/147
# technique: asks seccomp for the sizes of its notifications
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: which filters the kernel can be given
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
    line = {"id": "escape/147", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


room = ctypes.create_string_buffer(8)
judge(*call(317, 277, 3, 0, room))
