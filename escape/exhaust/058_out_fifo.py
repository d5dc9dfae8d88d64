# id: exhaust/058
# technique: the result is a FIFO, whose opening would block
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: a supervisor that blocks
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

os.mkfifo(OUT)
