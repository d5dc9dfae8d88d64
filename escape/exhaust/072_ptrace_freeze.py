# id: exhaust/072
# technique: a child traces the main process and stops it
# family: process-tree
# attacks: wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a tracer that keeps the tree from being killed
# control: none: it never ends
# needs: cgroup
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)

main = os.getpid()
if os.fork() == 0:
    libc.ptrace(0x4206, main, None, None)
    libc.ptrace(0x4207, main, None, None)
    time.sleep(600)
time.sleep(600)
