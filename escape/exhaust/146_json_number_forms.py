# id: exhaust/146
# technique: numbers as other languages write them: 0x10, 01, +1, .5, 1_000
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = b"[0x10, 01, +1, .5, 5., 1_000]"
with open(OUT, "wb") as out:
    out.write(document)
