# id: escape/178
# technique: perf_event_open with a null attribute
# family: kernel-surface
# attacks: filtered-syscalls
# context: job
# reaches: counters that see other processes
# expect: verdict denied
# must-not: an answer
# control: outside
# seen-in: CVE-2013-2094, CVE-2020-14351
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/178", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


result, error = call(298, 241, 0, 0, -1, -1, 0)
# EACCES and EPERM are the host's own setting (kernel.perf_event_paranoid).
none = error in (errno.EPERM, errno.EACCES, errno.ENOSYS)
say(not none, "result %d, errno %d" % (result, error), absent=none)
