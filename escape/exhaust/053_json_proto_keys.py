# id: exhaust/053
# technique: keys that mean something to whoever reads them
# family: result
# attacks: result
# context: job
# expect: outcome finished:{"__proto__": {"admin": true}, "$ref": "file:///etc/passwd", "@type":
#   "java.lang.Runtime", "py/object": "os.system"}
# must-not: a reader that acts on a key
# control: outside
import json
import sys

OUT = sys.argv[1]


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/053", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


document = (
    b'{"__proto__": {"admin": true}, "$ref": "file:///etc/passwd", '
    b'"@type": "java.lang.Runtime", "py/object": "os.system"}'
)
with open(OUT, "wb") as out:
    out.write(document)
try:
    json.loads(document)
    say(True, "Python's own reader takes it")
except (ValueError, RecursionError) as error:
    say(False, error)
