# id: exhaust/106
# technique: files in memory, which belong to no directory
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

keep = []
while True:
    one = os.memfd_create("corpus")
    os.write(one, bytes(4 << 20))
    keep.append(one)
