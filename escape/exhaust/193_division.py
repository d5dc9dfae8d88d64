# id: exhaust/193
# technique: a division by zero in machine code, or its signal where there is none
# family: crash
# attacks: wall
# context: job
# expect: outcome crashed:SIGFPE
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
import ctypes
import mmap
import os
import signal

if os.uname().machine == "x86_64":
    every = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    page = mmap.mmap(-1, 4096, prot=every)
    page.write(bytes.fromhex("31c0 31d2 31c9 f7f1 c3"))
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ctypes.CFUNCTYPE(None)(start)()
os.kill(os.getpid(), signal.SIGFPE)
