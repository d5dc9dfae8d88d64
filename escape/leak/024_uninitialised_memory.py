# id: leak/024
# technique: pages that are handed out: whether another's bytes are in them
# family: memory
# attacks: separate-address-space
# context: job
# reaches: data of whoever had the worker before
# expect: found false
# must-not: a byte that is not 0, or the marker of another run
# control: none: the kernel empties everybody's pages
import gc
import json
import mmap


def say(found, detail, absent=False):
    line = {"id": "leak/024", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


marker = b"corpus-marker-" + b"7f3a"
dirty = 0
for _ in range(8):
    room = mmap.mmap(-1, 4 << 20)
    dirty += sum(1 for start in range(0, 4 << 20, 4096) if any(room[start : start + 64]))
    room.close()
earlier = [one for one in gc.get_objects() if isinstance(one, dict) and marker in one]
keep = {marker: list(range(1000))}
say(dirty or earlier, "%d pages, %d objects" % (dirty, len(earlier)))
