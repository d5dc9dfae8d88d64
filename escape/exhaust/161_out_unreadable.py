# id: exhaust/161
# technique: a result with mode 000
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: an error of the host
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write("true")
os.chmod(OUT, 0)
