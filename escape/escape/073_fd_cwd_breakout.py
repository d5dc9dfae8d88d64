# id: escape/073
# technique: a directory that is open already as the way to the host's tree
# family: descriptors
# attacks: no-host-files
# context: job
# reaches: host files by openat(fd, '..')
# expect: verdict denied
# must-not: verdict REACHED
# control: none: a clean child has no directory open; the weakened jail that leaves one open has
# seen-in: CVE-2024-21626 (runc)
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/073", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in os.listdir("/proc/self/fd"):
    try:
        above = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=int(name))
        hits.append((name, os.readlink("/proc/self/fd/%d" % above)))
    except OSError:
        pass
say(hits, hits)
