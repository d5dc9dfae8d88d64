# id: exhaust/179
# technique: an exception whose text takes for ever
# family: account
# attacks: cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: a run that outlives its limits by dying
# control: none: what is attacked is the account of it
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
class Slow(Exception):
    def __str__(self):
        while True:
            pass


raise Slow
