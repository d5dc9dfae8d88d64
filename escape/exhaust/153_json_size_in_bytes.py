# id: exhaust/153
# technique: below the cap in characters, beyond it in bytes
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:size
# must-not: characters counted
# control: outside
# limits: result=1KiB
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/153", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = ('"' + "\U0001f512" * 400 + '"').encode()
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
