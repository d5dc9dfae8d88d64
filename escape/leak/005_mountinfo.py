# id: leak/005
# technique: the mount table: file systems of the host, overlay directories, propagation to it
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: the host's layout
# expect: found false
# must-not: a mount of the host
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/005", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/mountinfo") as table:
    lines = table.read().splitlines()
hits = [
    line for line in lines
    if line.split()[4].split("/")[1] in ("sys", "boot", "home", "var", "mnt", "root", "srv", "old_root")
    or "upperdir=" in line or " shared:" in line or " master:" in line
]
say(hits, hits[:4])
