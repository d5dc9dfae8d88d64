# id: exhaust/036
# technique: a sparse file of a petabyte
# family: disk
# attacks: file_size
# context: job
# expect: verdict denied
# must-not: a size beyond `file_size`
# control: outside
import errno
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/036", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


sparse = os.open("sparse.bin", os.O_CREAT | os.O_WRONLY)
try:
    os.ftruncate(sparse, 1 << 40)
    say(True, "a TiB")
except OSError as error:
    say(error.errno != errno.EFBIG, error)
os.unlink("sparse.bin")
