# id: escape/166
# technique: open the namespaces of process 1 and enter them
# family: namespaces
# attacks: no-host-processes
# context: job
# reaches: the host's namespaces
# expect: verdict denied
# must-not: a namespace of a process that is not the run's own opened
# control: outside
# needs: root
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/166", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in ("mnt", "net", "pid", "ipc", "uts", "user", "cgroup"):
    for number in {1, os.getppid()}:
        try:
            there = os.open("/proc/%d/ns/%s" % (number, name), os.O_RDONLY)
        except OSError:
            continue
        hits.append("%d %s" % (number, name))
        os.close(there)
say(hits, hits)
