# id: exhaust/076
# technique: busy children: RLIMIT_CPU counts each for itself
# family: cpu
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: four times the CPU time that was allowed
# control: none: it never ends
# needs: cgroup
# limits: cpu=500ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

for _ in range(4):
    if os.fork() == 0:
        while True:
            pass
os.wait()
