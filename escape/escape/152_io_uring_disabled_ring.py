# id: escape/152
# technique: a ring that begins disabled, to be given restrictions and switched on later
# family: io_uring
# attacks: filtered-syscalls
# context: job
# reaches: rings whose operations no filter sees, and a frequent source of faults
# expect: verdict denied
# must-not: a ring, or an error about its parameters
# control: outside
import ctypes
import errno
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/152", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


parameters = struct.pack("30I", 0, 0, 1 << 6, *[0] * 27)
room = ctypes.create_string_buffer(parameters, len(parameters))
result, error = call(425, 425, 4, room)
none = error in (errno.ENOSYS, errno.EPERM)
say(result >= 0 or not none, "result %d, errno %d" % (result, error), absent=none)
