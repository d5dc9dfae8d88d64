# id: escape/285
# technique: maps and reads the pages of its parent by /proc/PID/map_files and pagemap
# family: process
# attacks: separate-address-space
# context: job
# reaches: the supervisor's memory
# expect: verdict denied
# must-not: one of them
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/285", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in ("map_files", "pagemap", "mem", "clear_refs", "smaps_rollup"):
    path = "/proc/%d/%s" % (os.getppid(), name)
    try:
        if name == "map_files":
            hits += os.listdir(path)[:1]
        else:
            os.close(os.open(path, os.O_WRONLY if name == "clear_refs" else os.O_RDONLY))
            hits.append(name)
    except OSError:
        pass
say(hits, hits)
