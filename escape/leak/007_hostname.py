# id: leak/007
# technique: the host's name
# family: identity
# attacks: no-host-files, no-host-processes
# context: job
# reaches: which host this is
# expect: found false
# must-not: the host's name
# control: outside
import json
import os
import socket


def say(found, detail, absent=False):
    line = {"id": "leak/007", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = {os.uname().nodename, socket.gethostname()}
strange = names - {"stockade", "localhost", "sandbox"}
say(strange, names, absent=not strange)
