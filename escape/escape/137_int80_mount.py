# id: escape/137
# technique: mount by the 32-bit entry, whose number 21 is access for a filter of x86-64
# family: abi
# attacks: filtered-syscalls
# context: job
# reaches: a forbidden call under the number of an allowed one
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
    line = {"id": "escape/137", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def answered(result, error):
    # Whatever it says, the kernel's own code for this call said it; ENOSYS means there is none.
    none = result == -1 and error == errno.ENOSYS
    say(not none, "result %d, errno %d" % (result, error), absent=none)


every = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC


def run(code):
    # The page goes with the process.
    page = mmap.mmap(-1, 4096, prot=every)
    page.write(code)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_long)(start)()


if os.uname().machine != "x86_64":
    say(False, "only on x86-64", absent=True)
else:
    # mount(0, 0, 0, 0, 0): push rbx; xor of the five; mov eax, 21; int 0x80; ...
    zero = "31db 31c9 31d2 31f6 31ff"
    result = run(bytes.fromhex("53 56 57 " + zero + " b815000000 cd80 4863c0 5f 5e 5b c3"))
    answered(result if result > 0 else -1, -result)
