# id: exhaust/199
# technique: a child is killed with SIGKILL, as for memory, and the main process exits with 137
# family: crash
# attacks: memory
# context: job
# expect: outcome exited:137
# must-not: the run told as a kill for want of memory
# control: none: a crash is the same everywhere; what is attacked is the account of it
# needs: cgroup
import os
import signal
import sys

if os.fork() == 0:
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
sys.exit(137)
