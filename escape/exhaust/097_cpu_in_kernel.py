# id: exhaust/097
# technique: burns in the kernel, not in the program: random bytes
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
import os

while True:
    os.urandom(1 << 20)
