# id: exhaust/087
# technique: each child forks one child: a tree as deep as it may be
# family: process-tree
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: a descendant that outlives the run
# control: none: what is left behind outside would have to be looked for
# needs: cgroup
# limits: processes=64
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import time

OUT = sys.argv[1]

depth = 0
while True:
    try:
        if os.fork():
            break
    except OSError:
        time.sleep(600)
    depth += 1
if depth == 0:
    time.sleep(0.2)
    with open(OUT, "w") as out:
        out.write("true")
    os._exit(0)
time.sleep(600)
