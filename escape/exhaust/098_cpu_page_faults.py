# id: exhaust/098
# technique: burns by page faults: maps, touches, unmaps
# family: cpu
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it never ends
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import mmap

while True:
    room = mmap.mmap(-1, 8 << 20)
    room[::4096] = bytes(len(room) // 4096)
    room.close()
