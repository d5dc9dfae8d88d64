# id: escape/193
# technique: adjtimex: reading how the clock is disciplined
# family: time
# attacks: filtered-syscalls
# context: job
# reaches: the host's clock, and how exact it is
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
    line = {"id": "escape/193", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


room = ctypes.create_string_buffer(256)
judge(*call(159, 171, room))
