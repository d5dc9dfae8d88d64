# id: escape/064
# technique: read files that a host has
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: credentials on disk
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/064", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = (
    "/etc/shadow", "/etc/fstab", "/etc/hostname", "/etc/debian_version", "/etc/os-release",
    "/var/lib/dpkg/status", "/root/.ssh/id_rsa", "/root/.ssh/id_ed25519", "/root/.aws/credentials",
    "/root/.docker/config.json", "/root/.bash_history", "/root/.netrc", "/root/.git-credentials",
    "/var/run/secrets/kubernetes.io/serviceaccount/token",
)
hits = []
for name in names:
    try:
        os.close(os.open(name, os.O_RDONLY))
        hits.append(name)
    except OSError:
        pass
say(hits, hits)
