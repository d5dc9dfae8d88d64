# id: exhaust/068
# technique: recursion without a bound in Python
# family: crash
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory | crashed:SIGSEGV | raised:RecursionError |
#   raised:MemoryError
# why: interpreters differ: 3.11 uses the heap, older ones the stack, newer ones bound it
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: it would take the host's memory
# needs: cgroup
# limits: memory=64MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
sys.setrecursionlimit(10**9)


def deeper(depth):
    return deeper(depth + 1) + 1


deeper(0)
