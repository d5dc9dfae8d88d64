# id: escape/168
# technique: name_to_handle_at: a handle outlives every path check
# family: filesystem
# attacks: filtered-syscalls
# context: job
# reaches: files by handle
# expect: verdict denied
# must-not: a handle
# control: outside
# seen-in: Shocker (Docker, 2014)
import ctypes
import errno
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/168", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 8 + 128)
number = ctypes.c_int()
judge(*call(303, 264, -100, ctypes.c_char_p(b"/"), handle, ctypes.byref(number), 0))
