# id: exhaust/142
# technique: a newline and a NUL in a string, not escaped
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = b'{"a": "x\ny\x00z"}'
with open(OUT, "wb") as out:
    out.write(document)
