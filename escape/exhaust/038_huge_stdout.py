# id: exhaust/038
# technique: standard output without end
# family: flood
# attacks: stdout, wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: the supervisor's memory growing with the output
# control: none: it never ends
# limits: stdout=64KiB, cpu=6s, wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
block = "x" * 65536
while True:
    print(block)
