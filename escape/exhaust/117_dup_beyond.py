# id: exhaust/117
# technique: puts a descriptor at a number beyond the limit
# family: descriptors
# attacks: open_files
# context: job
# expect: verdict denied
# must-not: a descriptor with a number of 64 or more
# control: outside
import errno
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/117", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for number in (64, 255, 1000, 1023):
    for make in (lambda: os.dup2(1, number), lambda: fcntl.fcntl(1, fcntl.F_DUPFD, number)):
        try:
            hits.append(make())
        except OSError as error:
            if error.errno not in (errno.EBADF, errno.EINVAL, errno.EMFILE):
                hits.append(error)
say(hits, hits)
