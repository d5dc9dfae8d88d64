# id: exhaust/024
# technique: locks what may be locked, then takes random bytes for ever
# family: memory
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# needs: cgroup
# limits: memory=64MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)

libc.mlockall(3)
keep = []
while True:
    keep.append(os.urandom(1 << 20))
