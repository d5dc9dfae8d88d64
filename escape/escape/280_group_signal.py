# id: escape/280
# technique: signal 0 to the process group and session that started it
# family: process
# attacks: no-host-processes
# context: job
# reaches: whoever shares the terminal
# expect: verdict denied
# must-not: the supervisor or its shell
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/280", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for number in {os.getppid(), os.getsid(0), os.getpgrp()} - {0, 1, os.getpid()}:
    try:
        os.kill(number, 0)
        hits.append(number)
    except OSError:
        pass
say(hits, hits)
