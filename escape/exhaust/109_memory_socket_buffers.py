# id: exhaust/109
# technique: sockets filled and never read, their buffers as large as can be
# family: kernel-memory
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# needs: cgroup
# limits: memory=16MiB, open_files=4096
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import socket

pairs, held = [], 0
while True:
    pair = socket.socketpair()
    for one in pair:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        one.setblocking(False)
        try:
            while True:
                held += one.send(bytes(1 << 16))
        except BlockingIOError:
            pass
    pairs.append(pair)
