# id: exhaust/065
# technique: goes on writing while it is read
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:syntax | result_rejected:size
# why: how much was written when the child is killed is chance
# must-not: a read that goes on to the end of the file
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

with open(OUT, "w") as out:
    out.write("[" + "1," * 10)
if os.fork() == 0:
    with open(OUT, "a") as out:
        for _ in range(600):
            out.write("1," * 65536)
            out.flush()
    os._exit(0)
