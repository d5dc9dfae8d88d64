# id: escape/080
# technique: chroot again and walk up past the old root
# family: privilege
# attacks: no-privileges
# context: job
# reaches: the tree above a plain chroot
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root, cgroup
import json
import os
import tempfile


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/080", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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
    name = tempfile.mkdtemp()
    try:
        os.chroot(name)
    except OSError as error:
        return error.errno
    for _ in range(64):
        os.chdir("..")
    os.chroot(".")
    return 0


code = child(work)
say(code == 0, "code %d" % code)
