# id: escape/286
# technique: capset to all capabilities that there are
# family: privilege
# attacks: no-privileges
# context: job
# reaches: what root may do
# expect: verdict denied
# must-not: a capability
# control: outside
# needs: root, cgroup
import ctypes
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/286", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
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
    head = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0), 8)
    held = ctypes.create_string_buffer(24)
    call(125, 90, head, held)
    effective, permitted = struct.unpack("6I", held.raw)[:2]
    wanted = permitted or 1
    data = ctypes.create_string_buffer(struct.pack("6I", wanted, wanted, 0, 0, 0, 0), 24)
    result, error = call(126, 91, head, data)
    return 0 if result == 0 else error


code = child(work)
say(code == 0, "code %d" % code)
