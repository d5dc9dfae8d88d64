# id: exhaust/032
# technique: writes one file until refused
# family: disk
# attacks: file_size
# context: job
# expect: verdict denied
# must-not: more than `file_size` written
# control: outside
# limits: file_size=2MiB
import json
import os
import sys

os.chdir(os.path.dirname(sys.argv[1]))


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/032", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


written = 0
try:
    with open("fill.bin", "wb", buffering=0) as fill:
        while written < 64 << 20:
            written += fill.write(bytes(1 << 20))
except OSError as error:
    say(written > 2 << 20, "%d bytes, %s" % (written, error))
else:
    os.unlink("fill.bin")
    say(True, "%d bytes" % written)
