# id: escape/290
# technique: locks memory beyond what is allowed, and takes huge pages
# family: memory
# attacks: filtered-syscalls
# context: job
# reaches: one pool for the whole host
# expect: verdict denied
# must-not: a huge page
# control: outside
import ctypes
import errno
import json
import mmap
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/290", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


hits = []
try:
    mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000).close()
    hits.append("a huge page")
except (OSError, ValueError) as error:
    hits += [error.errno] if error.errno not in (errno.ENOMEM, errno.EPERM) else []
result, error = call(319, 279, ctypes.c_char_p(b"huge"), 0x4)
if result >= 0:
    hits.append("a file of huge pages")
say(hits, "%s, errno %d" % (hits, error), absent=True)
