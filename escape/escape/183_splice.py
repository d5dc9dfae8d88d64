# id: escape/183
# technique: splice from a read-only file into a pipe: the door of Dirty Pipe
# family: pipe
# attacks: filtered-syscalls
# context: job
# reaches: writing to files that can be read only
# expect: verdict denied
# must-not: a page in the pipe
# control: outside
# seen-in: CVE-2022-0847
import ctypes
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/183", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


with open("seven", "w") as one:
    one.write("7 bytes")
source = os.open("seven", os.O_RDONLY)
reader, writer = os.pipe()

offset = ctypes.c_long(0)
result, error = call(275, 76, source, ctypes.byref(offset), writer, 0, 1, 0)
say(result > 0, "result %d, errno %d" % (result, error))
