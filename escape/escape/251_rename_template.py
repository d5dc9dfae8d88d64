# id: escape/251
# technique: renames, exchanges and unlinks in the template's directories
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: what other runs import
# expect: verdict denied
# must-not: an entry changed
# control: outside
# needs: root
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/251", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for folder in ("/etc", "/usr", "/dev"):
    name = os.path.join(folder, "corpus-%d" % os.getpid())
    for change in (lambda: os.mkdir(name), lambda: os.symlink("x", name), lambda: os.mkfifo(name)):
        try:
            change()
            hits.append(folder)
            os.rmdir(name) if not os.path.islink(name) and os.path.isdir(name) else os.unlink(name)
        except OSError:
            pass
say(hits, hits)
