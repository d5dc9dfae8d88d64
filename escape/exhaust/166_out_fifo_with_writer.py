# id: exhaust/166
# technique: the result is a FIFO with somebody at its other end
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: a supervisor that reads from it
# control: none: the victim is the supervisor, which reads it
# needs: cgroup
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

OUT = sys.argv[1]

os.mkfifo(OUT)
if os.fork() == 0:
    one = os.open(OUT, os.O_RDWR)
    while True:
        os.write(one, b"true")
