# id: exhaust/062
# technique: the result is sparse, one byte over its cap
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:size
# must-not: it read
# control: none: the victim is the supervisor, which reads it
# limits: result=64KiB
import sys

OUT = sys.argv[1]

with open(OUT, "wb") as out:
    out.truncate((64 << 10) + 1)
