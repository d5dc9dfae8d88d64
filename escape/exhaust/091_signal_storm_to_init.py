# id: exhaust/091
# technique: signals to init as fast as can be, while the clock runs
# family: signal
# attacks: wall, no-host-processes
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a clock that is late
# control: none: process 1 outside is the host's own
# limits: cpu=5s, wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

usable = [number for number in range(1, 65) if number not in (9, 19, 32, 33)]
while True:
    for number in usable:
        try:
            os.kill(1, number)
        except OSError:
            pass
