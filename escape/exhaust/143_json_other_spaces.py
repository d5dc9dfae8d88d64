# id: exhaust/143
# technique: spaces of Unicode between the tokens
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = "{\u00a0\"a\"\u2003:\u3000 1}".encode()
with open(OUT, "wb") as out:
    out.write(document)
