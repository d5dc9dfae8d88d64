# id: exhaust/124
# technique: symbolic links with targets of four kilobytes
# family: disk
# attacks: disk, memory
# context: job
# expect: outcome exited:40 | limit_exceeded:memory
# why: kernels count the targets as disk or as memory
# must-not: more held than `disk` and `memory`
# control: none: it would use up the host's inodes
# limits: disk=8MiB, memory=64MiB, cpu=6s
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

count = 0
try:
    while count < 100_000:
        os.symlink("x" * 4000, "link%d" % count)
        count += 1
except OSError as error:
    print(count, error)
sys.exit(40 if count * 4000 < 64 << 20 else 41)
