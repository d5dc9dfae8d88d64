# id: escape/142
# technique: a thread makes the forbidden call, so that it alone dies
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: trying all numbers, a thread each
# expect: outcome denied
# must-not: an answer
# control: outside
# needs: cgroup
import ctypes
import errno
import json
import os
import threading

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/142", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def answered(result, error):
    # Whatever it says, the kernel's own code for this call said it; ENOSYS means there is none.
    none = result == -1 and error == errno.ENOSYS
    say(not none, "result %d, errno %d" % (result, error), absent=none)


answer = []
thread = threading.Thread(target=lambda: answer.append(call(165, 40, 0, 0, 0, 0, 0)), daemon=True)
thread.start()
thread.join(5)
result, error = answer[0] if answer else (0, 0)
answered(result, error)
