# id: escape/235
# technique: SO_ATTACH_FILTER: a program in the kernel, on a socket that is allowed
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: the BPF interpreter and its JIT
# expect: verdict denied
# must-not: a filter attached
# control: outside
# seen-in: CVE-2021-34866 class
import ctypes
import json
import socket
import struct


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/235", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one, other = socket.socketpair()
room = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xFFFF), 8)
try:
    one.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxQ", 1, ctypes.addressof(room)))
    say(True, "attached")
except OSError as error:
    say(False, error)
