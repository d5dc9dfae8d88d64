# id: escape/164
# technique: clone3 with CLONE_NEWTIME, whose bit is the exit signal's in clone
# family: namespaces
# attacks: filtered-syscalls
# context: job
# reaches: clocks of its own; what filters of clone cannot name
# expect: verdict denied
# must-not: an answer
# control: outside
import ctypes
import errno
import json
import os
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/164", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


fields = [0x80, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0]
arguments = ctypes.create_string_buffer(struct.pack("11Q", *fields), 88)
result, error = call(435, 435, arguments, 88)
if result == 0:
    os._exit(0)
if result > 0:
    os.waitpid(result, 0)
answered(result, error)
