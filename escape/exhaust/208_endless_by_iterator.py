# id: exhaust/208
# technique: an iterator that has no end, taken by what looks like a bounded call
# family: cpu
# attacks: total-language
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: a program of which nobody knows whether it ends
# control: none: it never ends
# limits: cpu=300ms
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
class Endless:
    def __iter__(self):
        return self

    def __next__(self):
        return 0


any(Endless())
