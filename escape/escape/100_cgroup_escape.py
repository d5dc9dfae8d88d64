# id: escape/100
# technique: write access to cgroup files: leave the limits, or release_agent
# family: cgroup
# attacks: no-privileges
# context: job
# reaches: its own limits; root on the host with cgroup v1
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root, cgroup
# seen-in: CVE-2022-0492
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/100", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = {"cgroup.procs", "release_agent", "memory.max", "memory.limit_in_bytes", "pids.max", "cpu.max"}
hits, seen = [], 0
for folder, folders, files in os.walk("/sys/fs/cgroup"):
    seen += 1
    hits += [os.path.join(folder, name) for name in names & set(files)
             if os.access(os.path.join(folder, name), os.W_OK)]
    if len(hits) > 5 or seen > 500:
        break
say(hits, hits[:6])
