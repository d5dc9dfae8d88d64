# id: escape/145
# technique: a child makes the forbidden call, and its parent reads how far it came
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: trying all numbers, a child each
# expect: verdict denied
# must-not: a child that tells an errno
# control: outside
# needs: cgroup
import ctypes
import json
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/145", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def child(work):
    # How a forked child ended that ran `work`: its exit code, or minus the signal.
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code if isinstance(code, int) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def work():
    result, error = call(165, 40, 0, 0, 0, 0, 0)
    return 0 if result == 0 else error


code = child(work)
say(code != -signal.SIGSYS, "the child ended with %d" % code)
