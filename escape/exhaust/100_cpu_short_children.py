# id: exhaust/100
# technique: children that live for a millisecond and take their CPU time with them
# family: cpu
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it never ends
# needs: cgroup
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

while True:
    if os.fork() == 0:
        sum(range(20_000))
        os._exit(0)
    os.wait()
