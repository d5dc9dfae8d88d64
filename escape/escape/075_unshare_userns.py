# id: escape/075
# technique: a user namespace of one's own: root inside, a wide kernel surface
# family: namespaces
# attacks: filtered-syscalls
# context: job
# reaches: mount, netfilter and other code that only root reaches
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: cgroup
import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/075", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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
    result, error = call(272, 97, 0x10000000)
    return 0 if result == 0 else error


code = child(work)
say(code == 0, "code %d" % code, absent=code in (errno.EPERM, errno.ENOSPC, errno.ENOSYS))
