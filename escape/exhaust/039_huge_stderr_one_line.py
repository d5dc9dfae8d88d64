# id: exhaust/039
# technique: standard error without a newline
# family: flood
# attacks: stderr, wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a reader of lines that holds without bound
# control: none: it never ends
# limits: stderr=64KiB, cpu=6s, wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
while True:
    sys.stderr.write("e" * 65536)
