# id: exhaust/083
# technique: the first thread ends alone, and another goes on for ever
# family: process-tree
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: a main process that counts as ended, or never ends
# control: none: it never ends
# needs: cgroup
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import os
import threading

libc = ctypes.CDLL(None, use_errno=True)


def call(x86, arm, *arguments):
    number = x86 if os.uname().machine == "x86_64" else arm
    ctypes.set_errno(0)
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, ctypes.get_errno()


def spin():
    while True:
        pass


threading.Thread(target=spin).start()
call(60, 93, 0)
