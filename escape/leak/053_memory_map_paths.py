# id: leak/053
# technique: paths of the host in its own memory map
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: layout, names of people
# expect: found false
# must-not: a path outside the template
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/053", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/maps") as table:
    names = {line.split(None, 5)[5].strip() for line in table if len(line.split(None, 5)) > 5}
given = ("/usr/", "/lib", "/bin/", "/etc/", "/work/", "/tmp/", "/opt/", "[", "/dev/zero", "/memfd:")
strange = sorted(name for name in names if not name.startswith(given))
homes = [name for name in names if name.startswith(("/root/", "/home/", "/var/"))]
say(strange or homes, strange, absent=not strange)
