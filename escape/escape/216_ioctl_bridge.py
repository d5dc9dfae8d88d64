# id: escape/216
# technique: SIOCBRADDBR with a bad name, which asks for modules
# family: ioctl
# attacks: filtered-syscalls
# context: job
# reaches: modules that the host loads on demand
# expect: verdict denied
# must-not: an answer
# control: outside
# needs: root
import ctypes
import errno
import json
import socket

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/216", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one = socket.socket(socket.AF_UNIX)
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
result = libc.ioctl(one.fileno(), 0x89A0, None)
error = ctypes.get_errno()
say(error not in (errno.ENOTTY, errno.EPERM, errno.ENOPKG), "errno %d" % error, absent=True)
