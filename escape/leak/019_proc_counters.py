# id: leak/019
# technique: load, interrupts, memory, disks of the whole host
# family: side-channel
# attacks: no-host-files
# context: job
# reaches: what the neighbours do
# expect: found false
# must-not: a counter of the host
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/019", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in (
    "loadavg", "stat", "meminfo", "diskstats", "interrupts", "uptime", "pressure/cpu", "schedstat",
    "zoneinfo", "vmstat", "softirqs", "swaps",
):
    try:
        with open("/proc/" + name) as one:
            found[name] = one.read(30)
    except OSError:
        pass
say(found, found)
