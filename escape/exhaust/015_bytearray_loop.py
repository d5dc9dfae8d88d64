# id: exhaust/015
# technique: ten thousand blocks of ten megabytes, touched
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
keep = []
for _ in range(10**4):
    block = bytearray(10 << 20)
    block[::4096] = b"x" * len(block[::4096])
    keep.append(block)
