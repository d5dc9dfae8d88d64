# id: exhaust/049
# technique: a byte order mark first
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:utf8
# must-not: taken by one reader and not by another
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/049", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'\xef\xbb\xbf{"ok": true}'
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
