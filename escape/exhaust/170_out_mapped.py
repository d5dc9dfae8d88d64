# id: exhaust/170
# technique: keeps the result mapped and changes it while it is read
# family: result-file
# attacks: result
# context: job
# expect: outcome finished | result_rejected:syntax
# why: what stands in the file when the child is killed is chance
# must-not: a value that was judged as one and given as another
# control: none: the victim is the supervisor, which reads it
# needs: cgroup
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import mmap
import os

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write('"' + "a" * 4000 + '"')
if os.fork() == 0:
    one = os.open(OUT, os.O_RDWR)
    room = mmap.mmap(one, 4002)
    while True:
        room[1] = 34
        room[1] = 97
