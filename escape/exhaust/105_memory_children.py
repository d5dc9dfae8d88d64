# id: exhaust/105
# technique: children that are each below the limit, and above it together
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
import os
import time

for _ in range(8):
    if os.fork() == 0:
        room = bytearray(16 << 20)
        room[::4096] = b"x" * len(room[::4096])
        time.sleep(600)
time.sleep(600)
