# id: exhaust/071
# technique: faults again and again, so that the kernel logs each
# family: kernel
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: anything left
# control: none: it would fill the host's log
# needs: cgroup
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import os

OUT = sys.argv[1]

for _ in range(50):
    if os.fork() == 0:
        ctypes.string_at(0)
    os.wait()
with open(OUT, "w") as out:
    out.write("true")
