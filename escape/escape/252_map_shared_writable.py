# id: escape/252
# technique: maps the interpreter's library shared and makes the map writable afterwards
# family: memory
# attacks: no-host-files
# context: job
# reaches: the interpreter's files in the page cache, for all runs
# expect: verdict denied
# must-not: a writable map
# control: none: no kernel grants it for a descriptor that reads; a fault in it would be shown by
#   this
import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/252", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = os.open(os.__file__, os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
start = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, one, ctypes.c_long(0))
result = libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(4096), 3)
say(result == 0, "result %d, errno %d" % (result, ctypes.get_errno()))
