# id: exhaust/137
# technique: half of a pair of surrogates, escaped
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:lone-surrogate
# must-not: text that cannot be written as UTF-8
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/137", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'{"a": "\\ud800"}'
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
