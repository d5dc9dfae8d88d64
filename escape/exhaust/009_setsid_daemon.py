# id: exhaust/009
# technique: forks twice with setsid, away from group and parent, and goes on writing the result
# family: process-tree
# attacks: verified-teardown
# context: job
# expect: outcome finished:{"ok": true}
# must-not: a process of the run alive after the verdict; a value that it wrote after the end
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
    if os.fork() == 0:
        # Not before the program's own end, however busy the machine is: until then it may.
        time.sleep(5)
        for _ in range(600):
            with open(OUT, "w") as out:
                out.write('{"late": true}')
            time.sleep(0.05)
    os._exit(0)
os.wait()
with open(OUT, "w") as out:
    out.write('{"ok": true}')
