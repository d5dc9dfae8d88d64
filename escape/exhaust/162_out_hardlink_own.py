# id: exhaust/162
# technique: the result has a second name, by which it can be changed
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
os.link("other", OUT)
