# id: exhaust/035
# technique: directories nested far beyond PATH_MAX
# family: disk
# attacks: verified-teardown, disk
# context: job
# expect: outcome finished:true
# must-not: a teardown by recursion or by whole paths that fails
# control: none: nothing outside would tidy it up
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import os

OUT = sys.argv[1]

depth = 0
try:
    while depth < 600:
        os.mkdir("a" * 200)
        os.chdir("a" * 200)
        depth += 1
except OSError:
    pass
with open("/dev/shm/reached", "w") as out:
    out.write(str(depth))
os.symlink("x", "/dev/shm/link")
with open(OUT, "w") as out:
    out.write("true")
