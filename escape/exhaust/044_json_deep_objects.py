# id: exhaust/044
# technique: fifty thousand nested objects
# family: result
# attacks: result_depth
# context: job
# expect: outcome result_rejected:depth
# must-not: the supervisor's stack overflowing
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/044", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'{"a":' * 50_000 + b"1" + b"}" * 50_000
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(False, "nothing happens to Python's own reader")
except RecursionError as error:
    say(True, "Python's own reader breaks: %s" % error)
