# id: exhaust/138
# technique: bytes within a string that are no UTF-8
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:utf8
# must-not: replaced by other characters
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = b'{"a": "\xff\xfe\xed\xa0\x80"}'
with open(OUT, "wb") as out:
    out.write(document)
