# id: escape/198
# technique: PR_SET_MM: asks how large the map of a process is
# family: prctl
# attacks: filtered-syscalls
# context: job
# reaches: rewriting where its own stack, arguments and binary are said to be
# expect: verdict denied
# must-not: an answer
# control: outside
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/198", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


size = ctypes.c_uint()
result = libc.prctl(35, 15, ctypes.byref(size), 0, 0)
say(result == 0, "result %d, errno %d" % (result, ctypes.get_errno()), absent=True)
