# id: exhaust/123
# technique: fills a file through a map of it, without any write
# family: disk
# attacks: disk
# context: job
# expect: outcome crashed:SIGBUS
# must-not: more than `disk` held
# control: none: it would fill the host's disk
# limits: disk=8MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import mmap
import os

one = os.open("mapped", os.O_CREAT | os.O_RDWR)
os.ftruncate(one, 7 << 20)
two = os.open("mapped2", os.O_CREAT | os.O_RDWR)
os.ftruncate(two, 7 << 20)
for each in (one, two):
    room = mmap.mmap(each, 7 << 20)
    room[::4096] = bytes([1]) * (len(room) // 4096)
