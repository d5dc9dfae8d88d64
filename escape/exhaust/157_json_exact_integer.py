# id: exhaust/157
# technique: an integer beyond 2^64, and one beyond what a float holds exactly
# family: result
# attacks: result
# context: job
# expect: outcome finished:[1180591620717411303424, 9007199254740993]
# must-not: another number
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/157", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b"[1180591620717411303424, 9007199254740993]"
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
