# id: escape/256
# technique: opens descriptors of its parent by /proc/PID/fd
# family: descriptors
# attacks: separate-address-space
# context: job
# reaches: files and pipes of the supervisor's side
# expect: verdict denied
# must-not: one opened
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/256", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for number in range(64):
    try:
        os.close(os.open("/proc/%d/fd/%d" % (os.getppid(), number), os.O_RDONLY | os.O_NONBLOCK))
        hits.append(number)
    except OSError:
        pass
say(hits, hits)
