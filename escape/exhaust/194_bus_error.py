# id: exhaust/194
# technique: a map beyond the end of its file
# family: crash
# attacks: wall
# context: job
# expect: outcome crashed:SIGBUS
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
import mmap
import os

one = os.open("short", os.O_CREAT | os.O_RDWR)
os.ftruncate(one, 8192)
room = mmap.mmap(one, 8192)
os.ftruncate(one, 0)
room[4096]
