# id: escape/185
# technique: tee between two pipes
# family: pipe
# attacks: filtered-syscalls
# context: job
# reaches: overflow of a page's reference count
# expect: verdict denied
# must-not: a page in two pipes
# control: outside
# seen-in: CVE-2019-11487
import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/185", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


first, second = os.pipe(), os.pipe()
os.write(first[1], b"x")
result, error = call(276, 77, first[0], second[1], 1, 0)
say(result > 0, "result %d, errno %d" % (result, error))
