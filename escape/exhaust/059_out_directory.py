# id: exhaust/059
# technique: the result is a directory
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: a crash, or a teardown that fails
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

os.mkdir(OUT)
