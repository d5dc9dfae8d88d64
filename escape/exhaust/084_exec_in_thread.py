# id: exhaust/084
# technique: a thread executes another program, while the others are busy
# family: process-tree
# attacks: wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a program that loses its clocks by exec
# control: none: it never ends
# needs: cgroup
# limits: wall=400ms, grace=150ms, cpu=5s
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os
import threading
import time

def spin():
    while True:
        pass


def replace():
    os.execv("/bin/sleep", ["sleep", "600"])


threading.Thread(target=spin, daemon=True).start()
threading.Thread(target=replace).start()
time.sleep(600)
