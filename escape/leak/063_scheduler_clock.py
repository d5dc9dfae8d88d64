# id: leak/063
# technique: the scheduler's own clock, in /proc/self/sched
# family: time
# attacks: separate-kernel
# context: job
# reaches: when the host was booted, which the clocks themselves hide
# expect: found false
# must-not: more than what the run itself can have lasted
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/063", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with open("/proc/self/sched") as table:
        values = [float(line.split()[-1]) for line in table if "exec_start" in line]
except OSError:
    values = []
say(any(value > 600_000 for value in values), values, absent=True)
