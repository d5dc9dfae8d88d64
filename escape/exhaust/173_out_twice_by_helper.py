# id: exhaust/173
# technique: the helper's result, then one written over it by hand
# family: result-file
# attacks: result
# context: job
# expect: outcome finished:"by hand"
# must-not: two values, or half of each
# control: none: the victim is the supervisor, which reads it
import sys

OUT = sys.argv[1]

try:
    import stockade_guest

    stockade_guest.emit("by the helper")
except ImportError:
    pass
with open(OUT, "w") as out:
    out.write('"by hand"')
