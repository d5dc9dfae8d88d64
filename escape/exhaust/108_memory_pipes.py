# id: exhaust/108
# technique: pipes made large, filled and never read
# family: kernel-memory
# attacks: memory
# context: job
# expect: outcome limit_exceeded:memory
# must-not: the supervisor slowing down, another run failing, anything left afterwards
# control: none: it would take the host's memory
# needs: cgroup
# limits: memory=16MiB, open_files=8192
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import fcntl
import os

pairs = []
while True:
    reader, writer = os.pipe()
    pairs.append((reader, writer))
    os.set_blocking(writer, False)
    try:
        fcntl.fcntl(writer, 1031, 1 << 20)
    except OSError:
        pass  # As large as the host lets it be.
    try:
        while True:
            os.write(writer, bytes(1 << 16))
    except BlockingIOError:
        pass
