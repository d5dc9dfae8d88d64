# id: leak/026
# technique: paths of the host in the text of errors
# family: errors
# attacks: no-host-files
# context: job
# reaches: layout, names of people
# expect: found false
# must-not: a path of the supervisor
# control: outside
import json
import os
import re
import traceback


def say(found, detail, absent=False):
    line = {"id": "leak/026", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


try:
    json.loads("{")
except ValueError:
    text = traceback.format_exc()
names = re.findall(r'File "([^"]+)"', text)
standard = os.path.dirname(os.__file__)
strange = [name for name in names if name != "/work/job.py" and not name.startswith(standard)]
say(strange or "/home/" in text, names)
