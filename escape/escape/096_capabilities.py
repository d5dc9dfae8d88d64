# id: escape/096
# technique: any capability in any of the five sets, or none but to be gained by exec
# family: privilege
# attacks: no-privileges
# context: job
# reaches: what root may do
# expect: verdict denied
# must-not: a set that is not empty, or NoNewPrivs 0
# control: outside
import json


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/096", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


text = open("/proc/self/status").read()
status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
held = [name for name in names if int(status[name], 16)]
say(held or status["NoNewPrivs"] != "1", "%s, NoNewPrivs %s" % (held, status["NoNewPrivs"]), absent=True)
