# id: escape/201
# technique: PR_SET_SECUREBITS: what being root is worth
# family: prctl
# attacks: no-privileges
# context: job
# reaches: capabilities by uid 0
# expect: verdict denied
# must-not: the bits set, though to the same
# control: outside
# needs: root, cgroup
import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/201", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


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
    return 0 if libc.prctl(28, libc.prctl(27, 0, 0, 0, 0), 0, 0, 0) == 0 else ctypes.get_errno()


code = child(work)
say(code == 0, "code %d" % code)
