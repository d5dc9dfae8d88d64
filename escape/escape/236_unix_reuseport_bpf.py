# id: escape/236
# technique: SO_ATTACH_REUSEPORT_CBPF and SO_ATTACH_BPF
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: programs in the kernel
# expect: verdict denied
# must-not: another answer than that there is no such option
# control: outside
import ctypes
import errno
import json
import socket
import struct


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/236", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


one, other = socket.socketpair()
room = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0), 8)
hits = []
for option, value in (
    (51, struct.pack("HxxxxxxQ", 1, ctypes.addressof(room))),
    (50, struct.pack("i", -1)),
    (52, struct.pack("i", -1)),
):
    try:
        one.setsockopt(socket.SOL_SOCKET, option, value)
        hits.append(option)
    except OSError as error:
        if error.errno != errno.ENOPROTOOPT:
            hits.append((option, error.errno))
say(hits, hits)
