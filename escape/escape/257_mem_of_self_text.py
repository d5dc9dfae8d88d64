# id: escape/257
# technique: writes to its own code, mapped read-only, by /proc/self/mem
# family: memory
# attacks: no-host-files
# context: job
# reaches: the interpreter's files in the page cache, for all runs
# expect: verdict denied
# must-not: the file changed
# control: none: it gets through only on a kernel that has the fault of CVE-2016-5195, and outside
#   it is the same
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/257", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


names = {}
with open("/proc/self/maps") as table:
    for line in table:
        parts = line.split()
        if len(parts) == 6 and parts[1] == "r--p" and parts[5].startswith("/") and parts[2] == "00000000":
            names.setdefault(parts[5], int(parts[0].split("-")[0], 16))
name, start = next(iter(names.items()))
with open(name, "rb") as one:
    before = one.read(16)
try:
    memory = os.open("/proc/self/mem", os.O_RDWR)
    os.pwrite(memory, b"X", start + 9)  # A byte of padding in the header of ELF.
    done = "wrote"
except OSError as error:
    done = error
with open(name, "rb") as one:
    after = one.read(16)
say(before != after, "%s to %s" % (done, name))
