# id: exhaust/155
# technique: a turned direction, a zero width and a variation in a key and a value
# family: result
# attacks: result
# context: job
# expect: outcome finished:{"user\u202enimda": "a\u200bb\ufe0f\u0000"}
# must-not: another text shown than is there
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/155", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = json.dumps({"user\u202enimda": "a\u200bb\ufe0f\x00"}).encode()
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
