# id: exhaust/056
# technique: the result is a symbolic link to another file
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: the content of another file in the result
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

os.symlink("/etc/passwd", OUT)
