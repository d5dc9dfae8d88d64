# id: leak/062
# technique: how far its clocks were set back: the host's uptime
# family: time
# attacks: separate-kernel
# context: job
# reaches: when the host was booted, which the clocks themselves hide
# expect: found false
# must-not: an offset
# control: outside
import json
import time


def say(found, detail, absent=False):
    line = {"id": "leak/062", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with open("/proc/self/timens_offsets") as table:
        offsets = [int(line.split()[1]) for line in table]
except OSError:
    offsets = []
shown = abs(min(offsets, default=0)) or time.clock_gettime(time.CLOCK_BOOTTIME)
say(shown > 600, "%s, boot clock %d s" % (offsets, time.clock_gettime(time.CLOCK_BOOTTIME)), absent=True)
