# id: exhaust/148
# technique: one level deeper than is allowed
# family: result
# attacks: result_depth
# context: job
# expect: outcome result_rejected:depth
# must-not: taken
# control: outside
# limits: result_depth=8
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/148", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b"[" * 9 + b"]" * 9
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
