# id: exhaust/127
# technique: has the kernel copy from file to file: sendfile and copy_file_range
# family: disk
# attacks: file_size
# context: job
# expect: verdict denied
# must-not: a byte beyond `file_size`
# control: outside
# limits: file_size=2MiB
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/127", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


source = os.open("source", os.O_CREAT | os.O_RDWR)
os.ftruncate(source, 1 << 20)
target = os.open("target", os.O_CREAT | os.O_RDWR)
errors = []
for copy in (
    lambda: os.sendfile(target, source, 0, 1 << 20),
    lambda: os.copy_file_range(source, target, 1 << 20, 0),
):
    try:
        for _ in range(4):
            copy()
    except OSError as error:
        errors.append(error.errno)
say(os.fstat(target).st_size > 2 << 20, "%d bytes, %s" % (os.fstat(target).st_size, errors))
os.unlink("source")
os.unlink("target")
