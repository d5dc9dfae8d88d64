# id: exhaust/092
# technique: fills the queue of real-time signals, its own and init's
# family: signal
# attacks: memory
# context: job
# expect: verdict denied
# must-not: more than 1,024 signals queued
# control: none: it would take the host's memory
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import json
import os
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/092", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


info = ctypes.create_string_buffer(128)
ctypes.memmove(info, struct.pack("iii", signal.SIGRTMIN + 3, 0, -1), 12)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN + 3})
sent, error = 0, 0
while sent < 100_000:
    result, error = call(129, 138, os.getpid(), signal.SIGRTMIN + 3, info)
    if result < 0:
        break
    sent += 1
say(sent > 1024, "%d, errno %d" % (sent, error))
