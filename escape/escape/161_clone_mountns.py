# id: escape/161
# technique: clone with CLONE_NEWNS, which wants a capability in the namespace one is in
# family: namespaces
# attacks: no-privileges
# context: job
# reaches: mounts of its own
# expect: verdict denied
# must-not: a child in a namespace
# control: outside
# needs: root, cgroup
import ctypes
import json
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/161", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


result, error = call(56, 220, 0x00020000 | signal.SIGCHLD, 0, 0, 0, 0)
if result == 0:
    os._exit(0)
if result > 0:
    os.waitpid(result, 0)
say(result > 0, "result %d, errno %d" % (result, error))
