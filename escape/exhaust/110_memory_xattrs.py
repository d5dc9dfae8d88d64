# id: exhaust/110
# technique: attributes of files in memory, by the megabyte
# family: kernel-memory
# attacks: memory, disk
# context: job
# expect: outcome exited:40 | limit_exceeded:memory
# why: a kernel that has them on tmpfs counts them as memory or as inodes, another refuses them
# must-not: more held than `memory`
# control: none: it would take the host's memory
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

held, count = 0, 0
with open("one", "w"):
    pass
try:
    while held < 256 << 20:
        os.setxattr("one", "user.%d" % count, bytes(60 << 10))
        count += 1
        held += 60 << 10
except OSError as error:
    print(held, error)
sys.exit(40 if held < 128 << 20 else 41)
