# id: exhaust/167
# technique: the result is a hole: zeros that take no room
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken as empty
# control: none: the victim is the supervisor, which reads it
import sys

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.truncate(1000)
