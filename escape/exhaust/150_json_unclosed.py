# id: exhaust/150
# technique: half a million brackets that are never closed
# family: result
# attacks: result_depth
# context: job
# expect: outcome result_rejected:depth
# must-not: the supervisor's stack overflowing, or its end reached first
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/150", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b"[" * 500_000
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(False, "nothing happens to Python's own reader")
except RecursionError as error:
    say(True, "Python's own reader breaks: %s" % error)
