# id: exhaust/113
# technique: descriptors that watch each other in a chain, and one that watches all
# family: kernel-memory
# attacks: open_files
# context: job
# expect: verdict denied
# must-not: more than 64, or another error than EMFILE
# control: none: it would take the host's memory
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import errno
import json
import select


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/113", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


keep = []
try:
    last = select.epoll()
    keep.append(last)
    while len(keep) < 4096:
        one = select.epoll()
        keep.append(one)
        try:
            one.register(last.fileno(), select.EPOLLIN)
            last = one
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EINVAL):
                raise
            last = one
except OSError as error:
    say(len(keep) > 64 or error.errno != errno.EMFILE, "%d, %s" % (len(keep), error))
else:
    say(True, len(keep))
