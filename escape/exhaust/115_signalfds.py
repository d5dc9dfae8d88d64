# id: exhaust/115
# technique: queues of signals that are descriptors
# family: descriptors
# attacks: open_files
# context: job
# expect: verdict denied
# must-not: more than 64, or another error than EMFILE
# control: none: how many a process may open outside is the host's setting
import ctypes
import errno
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/115", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


mask = ctypes.create_string_buffer(struct.pack("Q", 1 << 9), 8)

count = 0
while count < 4096:
    made, error = call(289, 74, -1, mask, 8, 0)
    if made < 0:
        break
    count += 1
say(count > 64 or error != errno.EMFILE, "%d, errno %d" % (count, error))
