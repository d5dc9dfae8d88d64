# id: exhaust/104
# technique: waits for itself: reads from a pipe of its own that nobody writes to
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
import os
import signal

reader, writer = os.pipe()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
os.read(reader, 1)
