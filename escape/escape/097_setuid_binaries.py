# id: escape/097
# technique: a set-user-id file in reach that would take effect
# family: privilege
# attacks: no-privileges
# context: job
# reaches: sudo, su, mount
# expect: verdict denied
# must-not: a set-user-id file on a mount that allows it, without no_new_privs
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/097", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


gains = "NoNewPrivs:\t1" not in open("/proc/self/status").read()
hits = []
for folder in ("/bin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/sbin"):
    try:
        entries = list(os.scandir(folder))
    except OSError:
        continue
    for entry in entries:
        try:
            if entry.stat().st_mode & 0o4000:
                hits.append(entry.path)
        except OSError:
            pass
hits = [name for name in hits if not os.statvfs(name).f_flag & os.ST_NOSUID]
say(hits and gains, "%s, gains %s" % (hits[:8], gains), absent=True)
