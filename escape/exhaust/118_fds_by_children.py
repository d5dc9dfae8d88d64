# id: exhaust/118
# technique: each child has a table of its own: descriptors by the hundred of them
# family: descriptors
# attacks: open_files, processes
# context: job
# expect: verdict denied
# must-not: more than 64 in one process, or more than 16 processes
# control: none: it would take the host down
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import json
import os
import struct
import time


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/118", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


reader, writer = os.pipe()
total, children = 0, 0
try:
    while children < 64:
        pid = os.fork()
        if pid == 0:
            count = 0
            try:
                while count < 4096:
                    os.open("/dev/null", os.O_RDONLY)
                    count += 1
            except OSError:
                pass
            os.write(writer, struct.pack("I", count))
            time.sleep(60)
        children += 1
except OSError:
    pass
for _ in range(children):
    total = max(total, struct.unpack("I", os.read(reader, 4))[0])
say(total > 64 or children > 16, "%d each, %d children" % (total, children))
os._exit(0)
