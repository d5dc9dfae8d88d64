# id: exhaust/016
# technique: reads an endless file whole
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
open("/dev/zero", "rb").read()
