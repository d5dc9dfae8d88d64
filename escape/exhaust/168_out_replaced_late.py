# id: exhaust/168
# technique: an orphan replaces the result when the program has ended
# family: result-file
# attacks: result
# context: job
# expect: outcome finished:"first"
# must-not: a file that is half of the one and half of the other
# control: none: the victim is the supervisor, which reads it
# needs: cgroup
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import time

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write('"first"')
if os.fork() == 0:
    os.setsid()
    while os.getppid() != 1:
        time.sleep(0.0005)
    for _ in range(100_000):
        with open("late", "w") as out:
            out.write('"first"')
        os.replace("late", OUT)
    os._exit(0)
os._exit(0)
