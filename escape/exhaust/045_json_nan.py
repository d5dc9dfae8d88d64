# id: exhaust/045
# technique: NaN and Infinity, as Python's own writer emits them
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:not-finite
# must-not: them taken as numbers
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/045", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b"[NaN, Infinity, -Infinity]"
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
