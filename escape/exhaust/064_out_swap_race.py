# id: exhaust/064
# technique: swaps the result between a good file and a link while it is collected
# family: result-file
# attacks: result
# context: job
# expect: outcome finished | result_rejected:not-regular
# why: which of the two stands when the swapping is killed is chance
# must-not: what the link leads to, as the value
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

def swap(end):
    while time.time() < end:
        os.symlink("/etc/passwd", "link")
        os.replace("link", OUT)
        with open("good", "w") as good:
            good.write('{"ok": true}')
        os.replace("good", OUT)


swap(time.time() + 0.01)
if os.fork() == 0:
    swap(time.time() + 30)
    os._exit(0)
