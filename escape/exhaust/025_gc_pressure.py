# id: exhaust/025
# technique: millions of tiny objects that refer to themselves
# family: memory
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory | limit_exceeded:cpu
# why: the collector may burn the CPU time before the memory is full
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# needs: cgroup
# limits: memory=32MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
keep = []
while True:
    one = []
    one.append(one)
    keep.append({"k": one})
