# id: exhaust/144
# technique: True, None and single quotes, as str() of a dictionary gives them
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken for what they look like
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

document = str({"ok": True, "none": None}).encode()
with open(OUT, "wb") as out:
    out.write(document)
