# id: exhaust/164
# technique: the result is a link to itself
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: a reader that follows it
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

os.symlink(OUT, OUT)
