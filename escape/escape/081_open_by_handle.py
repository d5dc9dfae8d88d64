# id: escape/081
# technique: open_by_handle_at with a made-up handle
# family: filesystem
# attacks: filtered-syscalls
# context: job
# reaches: any file of the file system below
# expect: outcome denied
# must-not: an answer
# control: outside
# seen-in: Shocker (Docker, 2014)
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/081", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


handle = ctypes.create_string_buffer(bytes([8, 0, 0, 0, 1, 0, 0, 0]) + b"\x02" + bytes(7))
answered(*call(304, 265, os.open("/", os.O_RDONLY), handle, 0))
