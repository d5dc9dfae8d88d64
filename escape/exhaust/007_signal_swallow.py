# id: exhaust/007
# technique: ignores every signal that can be, and catches BaseException
# family: signal
# attacks: wall, grace
# context: job
# expect: outcome limit_exceeded:wall
# must-not: a program alive after SIGTERM and grace
# control: none: it never ends
# limits: wall=400ms, grace=150ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        time.sleep(1)
    except BaseException:
        pass
