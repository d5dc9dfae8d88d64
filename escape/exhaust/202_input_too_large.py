# id: exhaust/202
# technique: an input value larger than is taken
# family: submission
# attacks: files
# context: job
# expect: error invalid_submission
# must-not: a boundary built for it
# control: none: it is refused before there is anything to attack
# limits: files=32B
# input: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
import sys

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write("true")
