# id: escape/106
# technique: machine code in a writable and executable page calls the kernel, past every library
# family: native
# attacks: filtered-syscalls
# context: job
# reaches: the kernel's code for it, past every hook in user space
# expect: outcome denied
# must-not: an answer
# control: outside
import ctypes
import errno
import json
import mmap
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/106", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def answered(result, error):
    # Whatever it says, the kernel's own code for this call said it; ENOSYS means there is none.
    none = result == -1 and error == errno.ENOSYS
    say(not none, "result %d, errno %d" % (result, error), absent=none)


machine = os.uname().machine
# bpf(5, 0, 0), by number, without the C library.
if machine == "x86_64":
    code = bytes.fromhex("b841010000bf05000000 31f6 31d2 0f05 c3")
elif machine == "aarch64":
    code = bytes.fromhex("082380d2 a00080d2 010080d2 020080d2 010000d4 c0035fd6")
else:
    raise SystemExit("no code for " + machine)
every = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
page = mmap.mmap(-1, 4096, prot=every)
page.write(code)
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
result = ctypes.CFUNCTYPE(ctypes.c_long)(start)()
answered(-1 if result < 0 else result, -result)
