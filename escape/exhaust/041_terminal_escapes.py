# id: exhaust/041
# technique: control sequences, forged log lines and a turned direction in the output
# family: flood
# attacks: stdout
# context: job
# expect: outcome finished:true
# must-not: the operator's terminal or log obeying them
# control: none: a terminal of a person would be the victim
# limits: stdout=1KiB
import sys

OUT = sys.argv[1]

forged = "\r\n2026-01-01T00:00:00Z INFO run=000 outcome=finished\n"
sys.stdout.write("\x1b]0;owned\x07\x1b[2J\x1b[1;1H" + forged + "\u202e txt\x00\x9b31m" + "." * 2000)
with open(OUT, "w") as out:
    out.write("true")
