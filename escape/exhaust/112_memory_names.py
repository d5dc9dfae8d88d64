# id: exhaust/112
# technique: looks for names that are not there, each of which the kernel remembers
# family: kernel-memory
# attacks: memory, cpu
# context: job
# expect: outcome limit_exceeded:cpu | limit_exceeded:memory
# why: the kernel may forget the names again as fast as they come
# must-not: a cache that grows beyond the run's memory
# control: none: it would take the host's memory
# limits: memory=32MiB, cpu=500ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

count = 0
while True:
    try:
        os.stat("/tmp/" + "x" * 200 + str(count))
    except OSError:
        count += 1
