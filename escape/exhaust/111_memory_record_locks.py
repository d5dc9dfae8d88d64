# id: exhaust/111
# technique: a million locks on single bytes of one file
# family: kernel-memory
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory | limit_exceeded:cpu
# why: each lock is looked for among all: the time may be over before the memory
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# limits: memory=32MiB, cpu=500ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import fcntl
import os

one = os.open("locked", os.O_CREAT | os.O_RDWR)
os.ftruncate(one, 4 << 20)
try:
    for place in range(0, 2 << 20, 2):
        fcntl.lockf(one, fcntl.LOCK_EX, 1, place)
except OSError as error:
    print(error)
