# id: escape/138
# technique: a number with bits above the 32 that the kernel looks at
# family: abi
# attacks: filtered-syscalls
# context: job
# reaches: filters that compare 64 bits where the kernel takes 32
# expect: outcome denied
# must-not: an answer
# control: outside
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/138", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def answered(result, error):
    # Whatever it says, the kernel's own code for this call said it; ENOSYS means there is none.
    none = result == -1 and error == errno.ENOSYS
    say(not none, "result %d, errno %d" % (result, error), absent=none)


# mount on x86-64, mount on aarch64.
answered(*call(165 | 1 << 32, 40 | 1 << 32, 0, 0, 0, 0, 0))
