# id: exhaust/054
# technique: an empty result
# family: result
# attacks: result
# context: job
# expect: outcome result_rejected:syntax
# must-not: taken as null or as success
# control: none: no reader takes it, and every reader must say why
import sys

OUT = sys.argv[1]

open(OUT, "w").close()
