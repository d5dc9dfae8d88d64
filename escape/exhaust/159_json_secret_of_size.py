# id: exhaust/159
# technique: a document that expands: a string of escapes
# family: result
# attacks: result
# context: job
# expect: outcome finished
# must-not: its size counted after the escapes
# control: none: it is valid, and what it costs is the reader's affair
import sys

OUT = sys.argv[1]

with open(OUT, "w") as out:
    out.write('"' + "\\u0041" * 10_000 + '"')
