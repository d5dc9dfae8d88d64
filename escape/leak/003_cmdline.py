# id: leak/003
# technique: command lines of other processes
# family: process
# attacks: no-host-processes
# context: job
# reaches: tokens passed as arguments, other runs' code
# expect: found false
# must-not: any process but the run's
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/003", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) not in (1, os.getpid(), os.getppid()):
        try:
            with open("/proc/%s/cmdline" % name, "rb") as line:
                found[name] = line.read(40)
        except OSError:
            found[name] = None
say(found, found)
