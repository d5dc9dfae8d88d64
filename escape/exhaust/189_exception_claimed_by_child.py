# id: exhaust/189
# technique: a child raises, and the main process ends well
# family: account
# attacks: stderr
# context: job
# expect: outcome finished:true
# must-not: the child's exception told as the program's
# control: none: what is attacked is the account of it
# needs: cgroup
# limits: stderr=4KiB
import os
import sys

OUT = sys.argv[1]

os.write(2, b"." * 5000)

if os.fork() == 0:
    raise ValueError("of the child")
os.wait()
with open(OUT, "w") as out:
    out.write("true")
