# id: exhaust/165
# technique: the result is a link to an endless device
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: a read without end
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

os.symlink("/dev/zero", OUT)
