# id: exhaust/014
# technique: one allocation that no machine can serve
# family: memory
# attacks: memory
# context: job
# expect: outcome raised:MemoryError | limit_exceeded:memory
# why: whether so much may be promised is the host's setting (vm.overcommit_memory)
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# limits: memory=64MiB
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
room = [0] * 10**12
