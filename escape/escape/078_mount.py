# id: escape/078
# technique: mount of a type that does not exist
# family: mount
# attacks: filtered-syscalls
# context: job
# reaches: mounts
# expect: outcome denied
# must-not: an answer
# control: outside
import ctypes
import errno
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/078", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def answered(result, error):
    # Whatever it says, the kernel's own code for this call said it; ENOSYS means there is none.
    none = result == -1 and error == errno.ENOSYS
    say(not none, "result %d, errno %d" % (result, error), absent=none)


result = libc.mount(b"none", b"/", b"corpus-nosuchfs", 0, None)
answered(result, ctypes.get_errno())
