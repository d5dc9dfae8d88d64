# id: exhaust/135
# technique: sets the pipe that the supervisor reads to not block, and makes it tiny
# family: output
# attacks: stdout
# context: job
# expect: outcome finished:true
# must-not: a reader that gives up, or that spins
# control: none: outside nobody counts what is written
# limits: stdout=16KiB
import fcntl
import os
import sys
import time

OUT = sys.argv[1]

os.set_blocking(1, False)
try:
    fcntl.fcntl(1, 1031, 4096)
except OSError:
    pass
wrote = 0
while wrote < 1 << 20:
    try:
        wrote += os.write(1, b"n" * 4096)
    except BlockingIOError:
        time.sleep(0.001)
with open(OUT, "w") as out:
    out.write("true")
