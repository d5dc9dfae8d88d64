# id: leak/051
# technique: physical addresses of its own pages
# family: kernel
# attacks: no-privileges
# context: job
# reaches: rowhammer, and attacks on the direct map
# expect: found false
# must-not: a frame number that is not 0
# control: outside
# needs: root
import ctypes
import json
import mmap


def say(found, detail, absent=False):
    line = {"id": "leak/051", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


room = mmap.mmap(-1, 4096)
room[0] = 1
address = ctypes.addressof(ctypes.c_char.from_buffer(room))
try:
    with open("/proc/self/pagemap", "rb") as table:
        table.seek(address // 4096 * 8)
        frame = int.from_bytes(table.read(8), "little") & ((1 << 55) - 1)
    say(frame, hex(frame))
except OSError as error:
    say(False, error)
