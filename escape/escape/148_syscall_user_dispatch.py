# id: escape/148
# technique: has its own calls dispatched to itself
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: the entry path before filters
# expect: verdict denied
# must-not: an accepted request
# control: outside
import ctypes
import errno
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/148", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


result = libc.prctl(59, 0, 0, 0, 0)
error = ctypes.get_errno()
say(result == 0, "result %d, errno %d" % (result, error), absent=error == errno.EINVAL)
