# id: escape/203
# technique: PR_SET_NO_NEW_PRIVS back to 0, and by a child's exec
# family: prctl
# attacks: no-privileges
# context: job
# reaches: set-user-id programs
# expect: verdict denied
# must-not: 0 after an exec
# control: outside
# needs: cgroup
import ctypes
import json
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/203", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


libc.prctl(38, 0, 0, 0, 0)


def work():
    os.execv(sys.executable, [sys.executable, "-I", "-c", """
import ctypes
raise SystemExit(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))
"""])


code = child(work)
# A service may have been started with it set.
say(code == 0, "after exec: %d" % code, absent=code == 1)
