# id: escape/109
# technique: hard-link a file that is not ours into the work directory
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: a file kept past its rotation; confusion about who owns what is collected
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import errno
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/109", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits, errors = [], set()
for target in ("/etc/passwd", "/etc/group"):
    try:
        os.link(target, "corpus-link")
        os.unlink("corpus-link")
        hits.append(target)
    except OSError as error:
        errors.add(error.errno)
say(hits, "%s %s" % (hits, errors), absent=errors == {errno.EXDEV})
