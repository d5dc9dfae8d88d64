# id: exhaust/163
# technique: the result is a link to a descriptor
# family: result-file
# attacks: result
# context: job
# expect: outcome result_rejected:not-regular
# must-not: the content of another file in the result
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

with open("other", "w") as out:
    out.write("true")
os.symlink("/proc/self/fd/0", OUT)
