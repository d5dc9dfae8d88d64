# id: leak/048
# technique: device nodes
# family: device
# attacks: no-host-files
# context: job
# reaches: drivers, terminals, disks
# expect: found false
# must-not: a node that the documentation does not name
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/048", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


given = {"null", "zero", "full", "random", "urandom", "fd", "stdin", "stdout", "stderr", "shm"}
found = sorted(set(os.listdir("/dev")) - given)
say(found, found[:20])
