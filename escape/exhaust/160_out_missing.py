# id: exhaust/160
# technique: no result at all, and an exit as if all had gone well
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:missing
# must-not: taken as null
# control: none: the victim is the supervisor, which reads it
import sys

sys.exit(0)
