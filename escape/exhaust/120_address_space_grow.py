# id: exhaust/120
# technique: grows one map in place, again and again
# family: memory
# attacks: address_space
# context: job
# expect: verdict denied
# must-not: more than 4 GiB reserved
# control: outside
# limits: address_space=4GiB
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/120", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
size = 1 << 28
start = libc.mmap(None, ctypes.c_size_t(size), 0, 0x22 | 0x4000, -1, ctypes.c_long(0))
while size < 64 << 30:
    grown = libc.mremap(ctypes.c_void_p(start), ctypes.c_size_t(size), ctypes.c_size_t(size * 2), 1)
    if grown == 2**64 - 1 or grown is None:
        break
    start, size = grown, size * 2
say(size > 4 << 30, "%d bytes, errno %d" % (size, ctypes.get_errno()))
