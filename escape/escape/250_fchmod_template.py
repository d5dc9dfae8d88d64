# id: escape/250
# technique: changes modes and times of the template's files and of device nodes
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: files and devices of the host
# expect: verdict denied
# must-not: a mode or a time set
# control: outside
# needs: root
import json
import os
import stat


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/250", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in ("/dev/null", "/dev/zero", "/etc/passwd"):
    now = os.stat(name)
    try:
        os.utime(name, ns=(now.st_atime_ns, now.st_mtime_ns))
        hits.append("times of " + name)
    except OSError:
        pass
    one = os.open(name, os.O_RDONLY)
    try:
        os.fchmod(one, stat.S_IMODE(os.fstat(one).st_mode))
        hits.append("mode of " + name)
    except OSError:
        pass
say(hits, hits)
