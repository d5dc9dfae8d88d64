# id: exhaust/103
# technique: waits for a time that the clock will never show
# family: time
# attacks: wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a run that outlives its wall clock
# control: none: it never ends
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import ctypes
import struct

libc = ctypes.CDLL(None, use_errno=True)

while True:
    until = struct.pack("qq", 1 << 40, 0)
    libc.clock_nanosleep(0, 1, ctypes.c_char_p(until), None)
