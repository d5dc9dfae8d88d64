# id: escape/253
# technique: looks at the host by /proc/1/root and /proc/1/cwd
# family: filesystem
# attacks: no-host-files, no-host-processes
# context: job
# reaches: the root of whoever started it
# expect: verdict denied
# must-not: anything there
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/253", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for number in {1, os.getppid()}:
    for name in ("root/etc/shadow", "root/proc/1/status", "cwd/.", "root/../.."):
        try:
            os.stat("/proc/%d/%s" % (number, name))
            hits.append("%d/%s" % (number, name))
        except OSError:
            pass
say(hits, hits)
