# id: leak/052
# technique: the kernel's stack of its own process
# family: kernel
# attacks: no-privileges
# context: job
# reaches: kernel functions and their offsets
# expect: found false
# must-not: a line of it
# control: outside
# needs: root
import json


def say(found, detail, absent=False):
    line = {"id": "leak/052", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    with open("/proc/self/stack") as one:
        text = one.read()
    say(text, text[:80])
except OSError as error:
    say(False, error)
