# id: exhaust/145
# technique: comments and commas at the end
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: two readers that see two values
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = b'{"a": 1, /* "a": 2 */ }'
with open(OUT, "wb") as out:
    out.write(document)
