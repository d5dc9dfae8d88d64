# id: escape/287
# technique: setgroups to the groups of disks and of root
# family: privilege
# attacks: no-privileges
# context: job
# reaches: files that a group may read
# expect: verdict denied
# must-not: a group more
# control: outside
# needs: root, cgroup
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/287", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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
    try:
        os.setgroups([0, 6])
    except OSError as error:
        return error.errno
    return 0


code = child(work)
say(code == 0, "code %d" % code)
