# id: escape/281
# technique: a signal that says it comes from the kernel
# family: process
# attacks: no-host-processes
# context: job
# reaches: programs that believe the sender of a signal
# expect: verdict denied
# must-not: a process to send it to
# control: outside
import ctypes
import errno
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/281", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


info = ctypes.create_string_buffer(struct.pack("iii", 0, 0, 0x80), 128)
hits = []
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) not in (1, os.getpid()):
        result, error = call(129, 138, int(name), 0, info)
        if result == 0 or error == errno.EPERM:
            hits.append(int(name))
say(hits, hits[:10])
