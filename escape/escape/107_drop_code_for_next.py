# id: escape/107
# technique: leave files where a later run or trusted tools import from
# family: persistence
# attacks: no-host-files
# context: job
# reaches: the next run, or trusted tools
# expect: verdict denied
# must-not: a later run or the trusted side importing the file
# control: outside
# needs: root
import json
import os
import sys
import tempfile


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/107", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


import site

own = (os.path.realpath("."), os.path.realpath(tempfile.gettempdir()))
hits = []
for name in [site.getusersitepackages(), os.path.expanduser("~root/.config")] + sys.path:
    name = os.path.realpath(name)
    mine = any(name == one or name.startswith(one + "/") for one in own)
    if name and os.path.isdir(name) and os.access(name, os.W_OK) and not mine:
        hits.append(name)
say(hits, hits)
