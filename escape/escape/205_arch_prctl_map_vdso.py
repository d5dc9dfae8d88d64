# id: escape/205
# technique: arch_prctl ARCH_MAP_VDSO_64: maps the kernel's own page again
# family: prctl
# attacks: filtered-syscalls
# context: job
# reaches: code of the kernel at a chosen address
# expect: verdict denied
# must-not: an answer about the page
# control: outside
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/205", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


if os.uname().machine != "x86_64":
    say(False, "only on x86-64", absent=True)
else:
    result, error = call(158, 0, 0x2003, 0)
    # EEXIST: there is one already.
    say(result >= 0 or error == errno.EEXIST, "result %d, errno %d" % (result, error), absent=True)
