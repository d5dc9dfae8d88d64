# id: escape/105
# technique: a program without a file, run from a memfd, tries what the filter kills for
# family: native
# attacks: filtered-syscalls
# context: job
# reaches: whatever native code a submission carries
# expect: verdict denied
# must-not: an answer to the call
# control: outside
# needs: cgroup
# limits: file_size=64MiB
import json
import os
import sys


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/105", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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


try:
    image = os.memfd_create("corpus", 0)
except OSError as error:
    say(False, error)
    raise SystemExit
with open(sys.executable, "rb") as program, os.fdopen(os.dup(image), "wb") as copy:
    copy.write(program.read())
attempt = "import ctypes; ctypes.CDLL(None).mount(b'none', b'/', b'corpus-nosuchfs', 0, None)"


def work():
    os.execve(image, ["python3", "-I", "-c", attempt], dict(os.environ))


code = child(work)
say(code == 0, "the program ended with %d" % code)
