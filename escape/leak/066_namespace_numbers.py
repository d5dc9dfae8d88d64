# id: leak/066
# technique: the numbers of its namespaces, which count up for the whole host
# family: side-channel
# attacks: separate-kernel
# context: job
# reaches: how many runs there were before
# expect: found false
# must-not: a namespace that is not the first of its kernel
# control: none: outside they may be the first, or a container's
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/066", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


# Those that the kernel itself begins with.
first = {"user": 4026531837, "uts": 4026531838, "ipc": 4026531839, "pid": 4026531836}
numbers = {name: os.stat("/proc/self/ns/" + name).st_ino for name in first}
say(any(numbers[name] != first[name] for name in first), numbers)
