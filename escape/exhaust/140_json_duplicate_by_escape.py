# id: exhaust/140
# technique: one key twice, once of them escaped
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:duplicate-key
# must-not: two readers that see two values
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/140", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'{"a": 1, "\\u0061": 2}'
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
