# id: leak/061
# technique: sysinfo: load, memory and processes of the whole machine
# family: side-channel
# attacks: separate-kernel
# context: job
# reaches: what the neighbours do, where /proc is closed
# expect: found false
# must-not: more threads than a kernel of its own has
# control: outside
import ctypes
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(found, detail, absent=False):
    line = {"id": "leak/061", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


room = ctypes.create_string_buffer(128)
libc.sysinfo(room)
values = struct.unpack_from("10lH", room)
threads, own = values[10], len(os.listdir("/proc/self/task"))
say(threads - own > 64, "load %s, %d bytes free, %d threads" % (values[1:4], values[5], threads), absent=True)
