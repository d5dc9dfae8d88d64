# id: exhaust/003
# technique: a pattern that backtracks for ever: one call in C
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
import re

re.match("(a+)+$", "a" * 60 + "b")
