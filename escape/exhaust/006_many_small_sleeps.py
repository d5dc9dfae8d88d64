# id: exhaust/006
# technique: wakes a thousand times a second, never idle and never busy
# family: time
# attacks: wall
# context: job
# expect: outcome limit_exceeded:wall
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it never ends
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import time

while True:
    time.sleep(0.001)
