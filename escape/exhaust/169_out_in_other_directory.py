# id: exhaust/169
# technique: moves the directory away in which the result should be
# family: result-file
# attacks: result
# context: job
# expect: outcome finished | result_rejected:missing
# why: a rung whose work directory is a mount cannot have it moved
# must-not: a result read from elsewhere
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write("true")
for folder in (os.path.dirname(OUT), "/work"):
    try:
        os.rename(folder, folder + "-moved")
        os.symlink("/etc", folder)
    except OSError:
        pass
