# id: exhaust/107
# technique: one byte in each two megabytes: page tables alone
# family: memory
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# needs: cgroup
# limits: memory=64MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import mmap

libc = ctypes.CDLL(None, use_errno=True)

keep = []
while True:
    room = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(4 << 30), 15)
    for place in range(0, 4 << 30, 2 << 20):
        room[place] = 1
    keep.append(room)
