# id: exhaust/051
# technique: a second document after the first
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: the rest ignored without a word
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/051", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'{"ok": true}\n{"ok": false}'
with open(OUT, "wb") as out:
    out.write(document)
try:
    text = document.decode()
    say(True, "a reader of the first value takes %s" % (json.JSONDecoder().raw_decode(text)[0],))
except ValueError as error:
    say(False, error)
