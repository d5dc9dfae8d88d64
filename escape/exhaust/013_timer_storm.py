# id: exhaust/013
# technique: POSIX timers without end
# family: kernel-memory
# attacks: memory
# context: job
# expect: verdict denied
# must-not: more than 1,024 timers
# control: none: it would take the host's memory
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/013", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


count, made = 0, ctypes.c_void_p()
while count < 10**6 and libc.timer_create(1, None, ctypes.byref(made)) == 0:
    count += 1
# Each is a queued signal: RLIMIT_SIGPENDING counts it.
say(count > 1024, "%d timers" % count)
