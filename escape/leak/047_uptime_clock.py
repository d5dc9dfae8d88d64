# id: leak/047
# technique: the boot clock says how long the host has been up
# family: time
# attacks: no-host-processes
# context: job
# reaches: when the host was booted, which tells machines apart
# expect: found false
# must-not: more than what the run itself can have lasted
# control: outside
import json
import time


def say(found, detail, absent=False):
    line = {"id": "leak/047", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


up = time.clock_gettime(time.CLOCK_BOOTTIME)
say(up > 600, "%d s" % up, absent=True)
