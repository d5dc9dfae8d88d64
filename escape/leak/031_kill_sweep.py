# id: leak/031
# technique: kill with signal 0 for every process number
# family: process
# attacks: no-host-processes
# context: job
# reaches: who else is there, where /proc is closed
# expect: found false
# must-not: a number of a process that is not the run's
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/031", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


own = {1, os.getpid(), os.getppid()}
found = []
for number in range(1, 32768):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        continue
    except PermissionError:
        pass
    if number not in own:
        found.append(number)
say(found, found[:20])
