# id: escape/167
# technique: setns with a descriptor of a process, for several namespaces at once
# family: namespaces
# attacks: filtered-syscalls
# context: job
# reaches: namespaces of whatever process can be named
# expect: verdict denied
# must-not: the kernel looking at the process
# control: outside
# needs: root
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/167", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def judge(result, error):
    # Refused for who we are; any other errno means that our arguments were looked at.
    refused = result == -1 and error in (errno.EPERM, errno.EACCES, errno.ENOSYS)
    say(not refused, "result %d, errno %d" % (result, error), absent=error == errno.ENOSYS)


there, error = call(434, 434, os.getpid(), 0)
# Two that it is in already: nothing changes.
judge(*call(308, 268, there, 0x04000000 | 0x08000000))
