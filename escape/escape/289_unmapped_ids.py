# id: escape/289
# technique: changes to ids that nobody mapped
# family: privilege
# attacks: no-privileges
# context: job
# reaches: files of other runs
# expect: verdict denied
# must-not: another id
# control: outside
# needs: root, cgroup
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/289", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


hits = []
for number in (0, 1, 65534, 1074243840, 4294967294):
    if number in os.getresuid():
        continue
    for change in (lambda one: os.setresuid(one, one, one), os.seteuid):
        def work():
            try:
                change(number)
            except OSError as error:
                return error.errno
            return 0
        if child(work) == 0:
            hits.append(number)
say(hits, hits)
