# id: escape/199
# technique: PR_SET_PTRACER: lets everybody trace it
# family: prctl
# attacks: filtered-syscalls
# context: job
# reaches: siblings that trace each other where Yama forbids it
# expect: verdict denied
# must-not: an accepted request
# control: outside
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/199", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


result = libc.prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)
say(result == 0, "result %d, errno %d" % (result, ctypes.get_errno()), absent=True)
