# id: exhaust/070
# technique: lowers its own oom_score_adj, so that somebody else is killed
# family: memory
# attacks: memory, no-privileges
# context: job
# expect: verdict denied
# must-not: the supervisor or a neighbour killed by the kernel
# control: none: root outside may lack CAP_SYS_RESOURCE as well
import json


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/070", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("-1000")
    say(True, "lowered")
except OSError as error:
    say(False, error)
