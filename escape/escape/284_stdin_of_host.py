# id: escape/284
# technique: what standard input, output and error lead to
# family: descriptors
# attacks: empty-environment
# context: job
# reaches: logs and terminals of the supervisor
# expect: verdict denied
# must-not: a terminal, a file or a socket of the host
# control: none: what they lead to outside is the runner's choice
import json
import os
import stat


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/284", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


found = {}
for number in (0, 1, 2):
    kind = os.fstat(number).st_mode
    name = os.readlink("/proc/self/fd/%d" % number)
    if os.isatty(number) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind) or stat.S_ISBLK(kind):
        found[number] = name
    elif stat.S_ISCHR(kind) and name != "/dev/null":
        found[number] = name
say(found, found)
