# id: escape/248
# technique: opens a template's file for reading, then again for writing by /proc/self/fd
# family: descriptors
# attacks: no-host-files
# context: job
# reaches: files that were handed in read-only
# expect: verdict denied
# must-not: a descriptor that can write
# control: outside
# needs: root
# seen-in: CVE-2019-5736 (runc)
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/248", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = os.open(os.__file__, os.O_RDONLY)
hits = []
for flag in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND):
    try:
        os.close(os.open("/proc/self/fd/%d" % one, flag))
        hits.append(flag)
    except OSError:
        pass
say(hits, hits)
