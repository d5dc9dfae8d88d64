# id: escape/204
# technique: PR_SET_MM_EXE_FILE: another binary in its own name
# family: prctl
# attacks: filtered-syscalls
# context: job
# reaches: what the host's tools say is running
# expect: verdict denied
# must-not: an answer about the binary
# control: outside
# needs: root
import ctypes
import errno
import json
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/204", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


result = libc.prctl(35, 13, os.open(sys.executable, os.O_RDONLY), 0, 0)
error = ctypes.get_errno()
# EBUSY: the kernel went on to see that the old one is mapped still.
say(result == 0 or error == errno.EBUSY, "result %d, errno %d" % (result, error), absent=True)
