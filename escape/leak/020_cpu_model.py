# id: leak/020
# technique: the processor's model, flags and caches, from files
# family: side-channel
# attacks: no-host-files
# context: job
# reaches: who shares this machine, which side channels there are
# expect: found false
# must-not: a file that tells it
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/020", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = []
for name in ("/proc/cpuinfo", "/sys/devices/system/cpu/present", "/sys/devices/system/cpu/vulnerabilities/l1tf"):
    try:
        with open(name) as one:
            found.append(one.read(40))
    except OSError:
        pass
say(found, found)
