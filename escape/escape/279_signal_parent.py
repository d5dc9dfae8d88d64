# id: escape/279
# technique: signal 0 to everybody else: whether they could be stopped
# family: process
# attacks: no-host-processes
# context: job
# reaches: stopping and killing of the host's processes
# expect: verdict denied
# must-not: a process that would take it
# control: outside
import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/279", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


hits = []
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) not in (1, os.getpid()):
        there, error = call(434, 434, int(name), 0)
        if there >= 0 and call(424, 424, there, 0, 0, 0)[0] == 0:
            hits.append(int(name))
say(hits, hits[:10])
