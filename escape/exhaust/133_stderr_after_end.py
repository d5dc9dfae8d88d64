# id: exhaust/133
# technique: an orphan that writes to standard error when the program has ended
# family: flood
# attacks: stderr
# context: job
# expect: outcome finished:true
# must-not: more kept than the limit, or the supervisor's memory growing
# control: none: outside nobody counts what is written
# needs: cgroup
# limits: stdout=16KiB, stderr=16KiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

OUT = sys.argv[1]

os.write(2, b"e" * 20_000)
if os.fork() == 0:
    while True:
        os.write(2, b"late" * 1000)
with open(OUT, "w") as out:
    out.write("true")
os._exit(0)
