# id: leak/049
# technique: the environment of process 1
# family: environment
# attacks: no-host-processes
# context: job
# reaches: what the machine's init was started with: container secrets
# expect: found false
# must-not: a byte of it
# control: outside
# needs: root
import json


def say(found, detail, absent=False):
    line = {"id": "leak/049", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with open("/proc/1/environ", "rb") as one:
        text = one.read()
except OSError as error:
    say(False, error, absent=True)
else:
    say(text, text[:60], absent=not text)
