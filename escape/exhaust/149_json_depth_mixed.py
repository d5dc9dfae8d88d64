# id: exhaust/149
# technique: arrays in objects in arrays, each a level
# family: result
# attacks: result_depth
# context: job
# expect: outcome result_rejected:depth
# must-not: counted as one kind alone
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/149", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'[{"a":' * 300 + b"0" + b"}]" * 300
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
