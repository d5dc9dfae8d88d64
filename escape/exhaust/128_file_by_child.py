# id: exhaust/128
# technique: a child with a limit of its own, and an executed program
# family: disk
# attacks: file_size
# context: job
# expect: verdict denied
# must-not: a byte beyond `file_size`
# control: outside
# needs: cgroup
# limits: file_size=2MiB
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/128", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


code = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-I", "-c", """
import resource
try:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (ValueError, OSError):
    pass
with open("child", "wb") as out:
    out.write(bytes(4 << 20))
"""])
size = os.path.getsize("child")
os.unlink("child")
say(size > 2 << 20, "%d bytes, exit %d" % (size, code))
