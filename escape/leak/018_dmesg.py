# id: leak/018
# technique: the kernel's log
# family: kernel
# attacks: filtered-syscalls
# context: job
# reaches: addresses, other runs' crashes
# expect: found false
# must-not: any line
# control: outside
# needs: root
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(found, detail, absent=False):
    line = {"id": "leak/018", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


room = ctypes.create_string_buffer(4096)
size = libc.klogctl(3, room, 4096)
say(size > 0, room.value[:100] if size > 0 else ctypes.get_errno())
