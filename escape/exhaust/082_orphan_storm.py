# id: exhaust/082
# technique: orphans without end, each of whom leaves another to init and exits
# family: process-tree
# attacks: cpu, verified-teardown
# context: job
# expect: outcome limit_exceeded:cpu | limit_exceeded:wall
# why: most of the time goes to waiting for init to reap
# must-not: an init that cannot keep up, or anything left
# control: none: it would take the host down
# needs: cgroup
# limits: cpu=300ms, wall=2s, grace=200ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

main = os.getpid()
while True:
    if os.fork():
        os._exit(0) if os.getpid() != main else os.wait()
