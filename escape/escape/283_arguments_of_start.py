# id: escape/283
# technique: the arguments and file names with which it was started
# family: environment
# attacks: empty-environment
# context: job
# reaches: tokens passed as arguments
# expect: verdict denied
# must-not: an argument that is not the program's
# control: outside
import json


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/283", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("/proc/self/cmdline", "rb") as one:
    words = one.read().split(b"\0")[:-1]
with open("/proc/self/environ", "rb") as one:
    first = one.read().split(b"\0")[:-1]
strange = [word for word in words if b"=" in word or word.startswith(b"--")]
strange += [word[:30] for word in first if word.startswith((b"SSH", b"AWS", b"SUDO", b"OLDPWD", b"SHLVL"))]
say(len(words) > 5 or strange, "%s %s" % (words, strange), absent=True)
