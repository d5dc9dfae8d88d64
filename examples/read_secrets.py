"""Looks for what an honest program has no business with, and gives what it found as its value.

    stockade run examples/read_secrets.py

gives `{"looked": …, "found": []}`: there is nothing to steal in reach. To see that it does look,
run it without Stockade, as `python3 examples/read_secrets.py out.json`, and read what it found.
Only names are given, never contents.
"""
import glob
import json
import os
import sys

FILES = [
    "~/.aws/credentials",
    "~/.config/gcloud/*",
    "~/.docker/config.json",
    "~/.git-credentials",
    "~/.kube/config",
    "~/.netrc",
    "~/.ssh/id_*",
    "/home/*/.ssh/*",
    "/root/.*",
    "/etc/shadow",
    "/etc/ssh/ssh_host_*",
    "/run/secrets/*",
    "/run/docker.sock",
    "/var/lib/*/*",
    "/var/log/*",
    "/sys/class/dmi/id/product_name",
    "/proc/1/environ",
]
NAMES = ["TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "API_KEY"]


def readable(path):
    """Whether opening it, and reading or listing it, gives anything at all."""
    try:
        if os.path.isdir(path):
            return bool(os.listdir(path))
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


found = []
for pattern in FILES:
    found += [path for path in glob.glob(os.path.expanduser(pattern)) if readable(path)]
found += [f"${name}" for name in os.environ if any(part in name.upper() for part in NAMES)]
with open("/proc/self/net/dev", encoding="ascii") as file:
    interfaces = [line.split(":")[0].strip() for line in file.readlines()[2:]]
found += [f"network interface {name}" for name in interfaces if name != "lo"]

looked = len(FILES) + len(NAMES) + 1
print(f"looked in {looked} kinds of place, found {len(found)}")
with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump({"looked": looked, "found": sorted(found)}, out)
