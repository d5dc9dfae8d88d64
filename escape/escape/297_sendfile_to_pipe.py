# id: escape/297
# technique: sendfile from a file into a pipe, which is a splice by another name
# family: pipe
# attacks: filtered-syscalls
# context: job
# reaches: writing to files that can be read only, where splice is refused
# expect: verdict denied
# must-not: a page in the pipe
# control: outside
# seen-in: CVE-2022-0847
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/297", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("seven", "w") as one:
    one.write("7 bytes")
source = os.open("seven", os.O_RDONLY)
reader, writer = os.pipe()

try:
    say(os.sendfile(writer, source, 0, 1) > 0, "a page in the pipe")
except OSError as error:
    say(False, error)
