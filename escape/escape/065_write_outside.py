# id: escape/065
# technique: create files outside the run's own directories
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: persistence, other runs
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/065", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for folder in ("/", "/etc", "/usr", "/usr/local", "/var/tmp", "/opt", "/root", "/home", "/run"):
    name = os.path.join(folder, ".corpus-probe-%d" % os.getpid())
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.unlink(name)
        hits.append(folder)
    except OSError:
        pass
say(hits, hits)
