# id: leak/033
# technique: names of the sockets on the machine
# family: network
# attacks: no-network
# context: job
# reaches: which services there are
# expect: found false
# must-not: any name
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/033", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/net/unix") as table:
    names = [line.split()[-1] for line in table.read().splitlines()[1:] if len(line.split()) > 7]
say(names, names[:10], absent=not names)
