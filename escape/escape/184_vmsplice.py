# id: escape/184
# technique: vmsplice of a page of its own into a pipe
# family: pipe
# attacks: filtered-syscalls
# context: job
# reaches: references to pages that outlive their mapping
# expect: verdict denied
# must-not: a page in the pipe
# control: outside
# seen-in: CVE-2020-29374
import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/184", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


class Range(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


reader, writer = os.pipe()
room = ctypes.create_string_buffer(4096)
here = Range(ctypes.addressof(room), 4096)
result, error = call(278, 75, writer, ctypes.byref(here), 1, 0)
say(result > 0, "result %d, errno %d" % (result, error))
