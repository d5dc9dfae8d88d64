# id: exhaust/205
# technique: leaves named semaphores, FIFOs, sockets and locks of every kind
# family: persistence
# attacks: verified-teardown
# context: job
# expect: outcome finished:true
# must-not: any of them after the run
# control: none: what is left behind outside would have to be looked for
import os
import socket
import sys

OUT = sys.argv[1]

import multiprocessing.shared_memory

try:
    multiprocessing.shared_memory.SharedMemory("corpus", True, 4096)
except OSError:
    pass
for folder in (".", "/tmp", "/dev/shm"):
    try:
        os.mkfifo(os.path.join(folder, "corpus-fifo"))
        socket.socket(socket.AF_UNIX).bind(os.path.join(folder, "corpus-socket"))
    except OSError:
        pass
socket.socket(socket.AF_UNIX).bind("\0corpus-left")
with open(OUT, "w") as out:
    out.write("true")
os._exit(0)
