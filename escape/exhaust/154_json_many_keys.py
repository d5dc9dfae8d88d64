# id: exhaust/154
# technique: keys by the ten thousand, to slow the look for those that come twice
# family: result
# attacks: result
# context: job
# expect: outcome finished
# must-not: time that grows with the square of their number
# control: outside
# limits: result=2MiB
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/154", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = ("{" + ", ".join('"%x": 0' % (place * 0x9E3779B1 % 2**32) for place in range(60_000)) + "}").encode()
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
