# id: exhaust/021
# technique: a System V segment, which outlives the process that made it
# family: ipc
# attacks: verified-teardown
# context: job
# reaches: memory that no limit of the process counts
# expect: verdict denied
# must-not: a segment made
# control: outside
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/021", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


made, error = call(29, 194, 0, 4096, 0o1600)
if made >= 0:
    call(31, 195, made, 0, 0)  # IPC_RMID: this one goes.
say(made >= 0, "result %d, errno %d" % (made, error), absent=error == errno.ENOSYS)
