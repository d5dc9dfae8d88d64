# id: exhaust/151
# technique: brackets within a string, which are no levels
# family: result
# attacks: result_depth
# context: job
# expect: outcome finished:{"a": "[[[[[[[[[[[[{{{{{{{{{{{{"}
# must-not: counted as levels
# control: outside
# limits: result_depth=4
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/151", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = b'{"a": "' + b"[" * 12 + b"{" * 12 + b'"}'
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
