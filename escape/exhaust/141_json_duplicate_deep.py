# id: exhaust/141
# technique: one key twice, a thousand keys apart and in the depth
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
    line = {"id": "exhaust/141", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


inner = ", ".join('"k%d": %d' % (place, place) for place in range(1000))
document = ('[{"x": {%s, "k0": 1}}]' % inner).encode()
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
