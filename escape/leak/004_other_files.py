# id: leak/004
# technique: files of other runs, of the supervisor and of the host's users
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: inputs and results of neighbours
# expect: found false
# must-not: a readable directory that is not this run's
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/004", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


own = {"job.py", "input.json", "out.json", "home", "stockade", os.path.basename(__file__)}
hits = []
for folder in ("/work", "/tmp", "/var/tmp", "/home", "/srv", "/data", "/var/lib", "/run", "/dev/shm"):
    try:
        names = sorted(set(os.listdir(folder)) - own)
    except OSError:
        continue
    if names:
        hits.append((folder, names[:5]))
say(hits, hits)
