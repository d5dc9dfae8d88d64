# id: exhaust/037
# technique: a directory without permissions, and names that are not text
# family: disk
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: anything left behind
# control: none: nothing outside would tidy it up
import os
import sys

OUT = sys.argv[1]

os.makedirs("d/e")
open("d/e/f", "w").close()
os.chmod("d/e", 0)
os.chmod("d", 0)
for name in (b"\xff\xfe", b"new\nline", b"-rf", b"a" * 255, b"\x1b[2J"):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
with open(OUT, "w") as out:
    out.write("true")
