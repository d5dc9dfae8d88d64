# id: leak/032
# technique: getsid and getpriority for every process number
# family: process
# attacks: no-host-processes
# context: job
# reaches: sessions and priorities of the host's processes
# expect: found false
# must-not: a number of a process that is not the run's
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/032", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


own = {1, os.getpid(), os.getppid()}
found = []
for number in set(range(1, 32768)) - own:
    try:
        found.append((number, os.getsid(number), os.getpriority(os.PRIO_PROCESS, number)))
    except OSError:
        pass
say(found, found[:10])
