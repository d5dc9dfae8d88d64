# id: exhaust/156
# technique: two keys that look alike and are not: composed and decomposed
# family: result
# attacks: result
# context: job
# expect: outcome finished:{"\u00e9": 1, "e\u0301": 2}
# must-not: them taken for one
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/156", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = json.dumps({'\u00e9': 1, 'e\u0301': 2}).encode()
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
