# id: leak/057
# technique: where the host's crash dumps go
# family: kernel
# attacks: no-host-files
# context: job
# reaches: paths of handlers that run as root, which defences are on
# expect: found false
# must-not: a setting of the host's kernel
# control: outside
import json


def say(found, detail, absent=False):
    line = {"id": "leak/057", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = ("core_pattern", "hostname", "osrelease", "modprobe", "randomize_va_space", "kptr_restrict")
found = {}
for name in names:
    try:
        with open("/proc/sys/kernel/" + name) as one:
            found[name] = one.read(60)
    except OSError:
        pass
say(found, found)
