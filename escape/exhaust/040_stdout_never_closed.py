# id: exhaust/040
# technique: a child holds the write end of standard output
# family: output
# attacks: verified-teardown
# context: job
# expect: outcome finished:1
# must-not: a reader that waits for the end past the verdict
# control: none: what is left behind outside would have to be looked for
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

if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(600)
with open(OUT, "w") as out:
    out.write("1")
os._exit(0)
