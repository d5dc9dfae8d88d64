# id: escape/278
# technique: opens queues and named semaphores of others
# family: ipc
# attacks: no-host-files
# context: job
# reaches: messages of neighbours
# expect: verdict denied
# must-not: a queue
# control: outside
import ctypes
import json
import os

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/278", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


hits = []
for folder in ("/dev/mqueue", "/dev/shm", "/run/lock"):
    try:
        hits += [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        pass
name = ctypes.c_char_p(b"corpus-probe")
result, error = call(240, 180, name, os.O_CREAT | os.O_RDWR, 0o600, 0)
if result >= 0:
    call(241, 181, name)
    hits.append("a queue of its own")
say(hits, hits[:6])
