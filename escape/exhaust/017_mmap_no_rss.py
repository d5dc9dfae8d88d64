# id: exhaust/017
# technique: reserves address space by the gigabyte and touches none of it
# family: memory
# attacks: address_space
# context: job
# expect: verdict denied
# must-not: more than 4 GiB reserved
# control: outside
# limits: address_space=4GiB
import json
import mmap


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/017", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


keep = []
try:
    for _ in range(1024):
        keep.append(mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))
except OSError as error:
    say(len(keep) > 4, "%d GiB, errno %s" % (len(keep), error.errno))
else:
    say(True, "%d GiB" % len(keep))
