# id: exhaust/139
# technique: UTF-16, which some readers guess
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:utf8 | result_rejected:syntax
# why: its bytes are UTF-8 as well, with NULs in it
# must-not: guessed
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/139", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = '{"ok": true}'.encode('utf-16-le')
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
