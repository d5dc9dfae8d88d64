# id: exhaust/203
# technique: an input value below the limit in characters and beyond it in bytes
# family: submission
# attacks: files
# context: job
# expect: error invalid_submission
# must-not: characters counted
# control: none: it is refused before there is anything to attack
# limits: files=48B
# input: "🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒🔒"
import sys

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write("true")
