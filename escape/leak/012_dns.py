# id: leak/012
# technique: names of other machines, which are also a way out for data
# family: network
# attacks: no-network
# context: job
# reaches: data out by the name that is asked for
# expect: found false
# must-not: any answer
# control: outside
# needs: network
import json
import socket


def say(found, detail, absent=False):
    line = {"id": "leak/012", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for name in ("kubernetes.default.svc", "metadata.google.internal", "host.docker.internal", "example.com"):
    try:
        found[name] = socket.gethostbyname(name)
    except OSError:
        pass
say(found, found, absent=not found)
