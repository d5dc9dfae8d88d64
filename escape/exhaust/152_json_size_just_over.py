# id: exhaust/152
# technique: one byte more than is allowed
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:size
# must-not: cut, and taken
# control: outside
# limits: result=1KiB
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/152", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'"' + b"a" * 1023 + b'"'
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
