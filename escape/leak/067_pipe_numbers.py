# id: leak/067
# technique: the number of a new pipe, which counts up for the whole host
# family: side-channel
# attacks: separate-kernel
# context: job
# reaches: how busy the host is, from one moment to the next
# expect: found false
# must-not: a number that its own use cannot explain
# control: outside
import json
import os
import time


def say(found, detail, absent=False):
    line = {"id": "leak/067", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


numbers = []
for _ in range(3):
    reader, writer = os.pipe()
    numbers.append(os.fstat(reader).st_ino)
    time.sleep(0.01)
say(numbers[0] > 100_000, numbers, absent=True)
