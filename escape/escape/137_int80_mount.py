# id: escape/137
# technique: mount by the 32-bit entry, whose number 21 is access for a filter of x86-64
# family: abi
# attacks: filtered-syscalls
# context: job
# reaches: a forbidden call under the number of an allowed one
# expect: outcome denied
# must-not: an answer
# control: outside
# needs: cgroup
import ctypes
import errno
import json
import mmap
import os
import signal


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


# mount(0, 0, 0, 0, 0): the five are cleared; mov eax, 21; int 0x80; movsxd rax, eax
CLEAR = "31db 31c9 31d2 31f6 31ff"
CODE = bytes.fromhex("53 56 57 " + CLEAR + " b815000000 cd80 4863c0 5f 5e 5b c3")


def is_there():
    # A kernel without this entry raises SIGSEGV: a child finds out.
    if os.uname().machine != "x86_64":
        return False
    pid = os.fork()
    if pid == 0:
        run(CODE)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) in (0, -signal.SIGSYS)


if is_there():
    result = run(CODE)
    answered(result if result > 0 else -1, -result)
else:
    say(False, "no such entry", absent=True)
