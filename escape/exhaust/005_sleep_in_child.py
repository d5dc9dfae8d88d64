# id: exhaust/005
# technique: the parent exits at once, a child sleeps with the pipes open
# family: time
# attacks: verified-teardown
# context: job
# expect: outcome finished:{"ok": true}
# must-not: a supervisor that waits for the end of standard output past the end of the program
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
    time.sleep(600)
    os._exit(0)
with open(OUT, "w") as out:
    out.write('{"ok": true}')
os._exit(0)
