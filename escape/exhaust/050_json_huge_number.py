# id: exhaust/050
# technique: a number of a million digits
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:number
# must-not: a conversion in quadratic time, or a silent infinity
# control: none: no reader takes it, and every reader must say why
# limits: result=2MiB
import sys

OUT = sys.argv[1]

document = b"[" + b"9" * 1_000_000 + b", 1e999]"
with open(OUT, "wb") as out:
    out.write(document)
