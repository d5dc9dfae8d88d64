# id: leak/064
# technique: how full the file system is that the template lies on
# family: side-channel
# attacks: separate-kernel
# context: job
# reaches: the host's disk, and what others write to it
# expect: found false
# must-not: free blocks on the template's file system
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/064", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


room = os.statvfs(os.path.dirname(os.__file__))
say(room.f_bfree > 0, "%d of %d blocks free" % (room.f_bfree, room.f_blocks))
