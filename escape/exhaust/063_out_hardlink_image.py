# id: exhaust/063
# technique: the result is a hard link to a file of the template
# family: result-file
# attacks: result, no-host-files
# context: job
# expect: outcome finished:"no link"
# must-not: the content of another file in the result
# control: none: the victim is the supervisor, which reads it
import os
import sys

OUT = sys.argv[1]

try:
    os.link("/etc/passwd", OUT)
except OSError:
    with open(OUT, "w") as out:
        out.write('"no link"')
