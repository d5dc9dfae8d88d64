# id: exhaust/129
# technique: opens its own pipe again, and writes through both
# family: flood
# attacks: stdout
# context: job
# expect: outcome finished:true
# must-not: more kept than the limit, or the supervisor's memory growing
# control: none: outside nobody counts what is written
# limits: stdout=16KiB, stderr=16KiB
import os
import sys

OUT = sys.argv[1]

again = os.open("/proc/self/fd/1", os.O_WRONLY)
for _ in range(16):
    os.write(1, b"a" * 4096)
    os.write(again, b"b" * 4096)
with open(OUT, "w") as out:
    out.write("true")
