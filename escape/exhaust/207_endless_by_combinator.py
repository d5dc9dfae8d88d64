# id: exhaust/207
# technique: recursion by functions without a name: the fixed point of a lambda
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
import sys

sys.setrecursionlimit(100)
again = lambda f: (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v)))
while True:
    try:
        again(lambda f: lambda number: f(number + 1))(0)
    except RecursionError:
        pass
