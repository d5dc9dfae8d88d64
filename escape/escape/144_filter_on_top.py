# id: escape/144
# technique: installs a filter that allows everything, then makes the forbidden call
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: a filter that a newer one overrules
# expect: outcome denied
# must-not: an answer
# control: outside
import ctypes
import errno
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/144", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


allow = struct.pack("HBBI", 6, 0, 0, 0x7FFF0000)
room = ctypes.create_string_buffer(allow, len(allow))
program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(room))
libc.prctl(38, 1, 0, 0, 0)
libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0)
call(317, 277, 1, 0, ctypes.c_char_p(program))
answered(*call(165, 40, 0, 0, 0, 0, 0))
