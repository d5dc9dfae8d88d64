# id: exhaust/130
# technique: characters of several bytes, so that the cut falls within one
# family: flood
# attacks: stdout
# context: job
# expect: outcome finished:true
# must-not: more kept than the limit, or the supervisor's memory growing
# control: none: outside nobody counts what is written
# limits: stdout=16KiB, stderr=16KiB
import sys

OUT = sys.argv[1]

sys.stdout.buffer.write(b"." + "\U0001f512".encode() * 10_000)
with open(OUT, "w") as out:
    out.write("true")
