# id: exhaust/073
# technique: executes itself for ever: what a process counts may start anew, the pid does not
# family: process-tree
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it never ends
# limits: cpu=300ms, wall=20s
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

OUT = sys.argv[1]

os.execv(sys.executable, [sys.executable, "-I", os.path.abspath(__file__), OUT])
