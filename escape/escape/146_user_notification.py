# id: escape/146
# technique: a filter whose listener answers for the kernel: go on
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: a verdict SECCOMP_USER_NOTIF_FLAG_CONTINUE of the attacker's own
# expect: verdict denied
# must-not: the kernel looking at the filter
# control: outside
# needs: cgroup
import ctypes
import errno
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/146", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def child(work):
    # How a forked child ended that ran `work`: its exit code, or minus the signal.
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code if isinstance(code, int) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def work():
    notify = struct.pack("HBBI", 6, 0, 0, 0x7FC00000)
    room = ctypes.create_string_buffer(notify, len(notify))
    program = struct.pack("HxxxxxxQ", 1, ctypes.addressof(room))
    libc.prctl(38, 1, 0, 0, 0)
    # The listener must exist before the filter holds this very process up: a thread would answer.
    result, error = call(317, 277, 1, 1 << 3, ctypes.c_char_p(b""))
    return 0 if error in (errno.EFAULT, errno.EINVAL) else error


code = child(work)
say(code == 0, "code %d" % code, absent=code == errno.ENOSYS)
