# id: leak/056
# technique: mincore tells which pages of shared files somebody has read
# family: side-channel
# attacks: no-host-files
# context: job
# reaches: what other runs of the template read
# expect: found false
# must-not: a file that is not wholly resident
# control: none: a kernel since 5.2 tells it to owners of the file alone, root outside included
import ctypes
import json
import mmap
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(found, detail, absent=False):
    line = {"id": "leak/056", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


# A file that we may not write: since 5.2 the kernel says "all of them" to whoever cannot.
hits = []
for folder, _, names in os.walk(os.path.dirname(os.__file__)):
    for name in names:
        path = os.path.join(folder, name)
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        if size < 64 << 10 or os.access(path, os.W_OK):
            continue
        with open(path, "rb") as one:
            room = mmap.mmap(one.fileno(), 0, flags=mmap.MAP_PRIVATE)
            pages = (size + 4095) // 4096
            told = (ctypes.c_ubyte * pages)()
            start = ctypes.addressof(ctypes.c_char.from_buffer(room))
            if libc.mincore(ctypes.c_void_p(start), ctypes.c_size_t(size), told) == 0:
                resident = sum(byte & 1 for byte in told)
                if resident < pages:
                    hits.append((name, resident, pages))
say(hits, hits[:4])
