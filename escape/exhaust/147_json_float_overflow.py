# id: exhaust/147
# technique: a number beyond what a float holds
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:number | result_rejected:not-finite
# why: either name of the rule says that it is out of range
# must-not: a silent infinity
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/147", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b"[1e400]"
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
