# id: exhaust/158
# technique: a result of spaces alone
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken as null
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = b" \t\r\n" * 1000
with open(OUT, "wb") as out:
    out.write(document)
