# id: exhaust/001
# technique: a busy loop in bytecode
# family: cpu
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it never ends
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
while True:
    pass
