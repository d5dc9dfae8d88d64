# id: escape/249
# technique: a descriptor that can do nothing (O_PATH), made into one that can write
# family: descriptors
# attacks: no-host-files
# context: job
# reaches: files past checks that were made at the open
# expect: verdict denied
# must-not: a descriptor that can write
# control: outside
# needs: root
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/249", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in (os.__file__, "/etc/passwd", "/usr", "/etc"):
    one = os.open(name, os.O_PATH)
    folder = os.path.isdir(name)
    try:
        if folder:
            made = os.open("corpus-probe", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=one)
            os.unlink("corpus-probe", dir_fd=one)
        else:
            made = os.open("/proc/self/fd/%d" % one, os.O_WRONLY)
        os.close(made)
        hits.append(name)
    except OSError:
        pass
say(hits, hits)
