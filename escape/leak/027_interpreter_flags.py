# id: leak/027
# technique: whether the interpreter takes code from where the submission writes
# family: identity
# attacks: empty-environment
# context: job
# reaches: the trusted part of what is imported
# expect: found false
# must-not: the work directory before the standard library
# control: none: a control is started with -I as well
import json
import os
import sys


def say(found, detail, absent=False):
    line = {"id": "leak/027", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


here = [place for place, name in enumerate(sys.path) if name in ("", os.getcwd())]
early = [place for place in here if place < len(sys.path) - 1]
say(not sys.flags.isolated or early, "isolated %s, %s" % (sys.flags.isolated, sys.path))
