# id: exhaust/172
# technique: files with names as long as can be beside the result
# family: result-file
# attacks: result
# context: job
# expect: outcome finished:true
# must-not: the supervisor listing them
# control: none: the victim is the supervisor, which reads it
import sys

OUT = sys.argv[1]

for place in range(200):
    open("%03d" % place + "\u202e" * 84, "w").close()
with open(OUT, "w") as out:
    out.write("true")
