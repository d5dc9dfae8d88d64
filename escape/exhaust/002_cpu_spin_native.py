# id: exhaust/002
# technique: one call in C that holds the interpreter's lock and looks at no signal
# family: cpu
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: a limit that only fires when bytecode runs
# control: none: it never ends
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
number = 3 ** (10**7)
while True:
    number = number * number
