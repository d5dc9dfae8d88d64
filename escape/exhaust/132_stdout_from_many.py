# id: exhaust/132
# technique: children that all write at once, and go on after the end
# family: flood
# attacks: stdout
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
import time

OUT = sys.argv[1]

for _ in range(6):
    if os.fork() == 0:
        while True:
            os.write(1, b"z" * 65536)
time.sleep(0.1)
with open(OUT, "w") as out:
    out.write("true")
os._exit(0)
