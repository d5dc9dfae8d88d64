# id: escape/162
# technique: clone3 into a cgroup by a descriptor
# family: namespaces
# attacks: filtered-syscalls
# context: job
# reaches: a cgroup without its limits
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
    line = {"id": "escape/162", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


fields = [0x200000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 2**64 - 1]
room = ctypes.create_string_buffer(struct.pack("11Q", *fields), 88)
result, error = call(435, 435, room, 88)
if result == 0:
    os._exit(0)
answered(result, error)
