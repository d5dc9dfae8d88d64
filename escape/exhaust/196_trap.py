# id: exhaust/196
# technique: a breakpoint with no debugger
# family: crash
# attacks: wall
# context: job
# expect: outcome crashed:SIGTRAP
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
import ctypes
import mmap
import os

every = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
page = mmap.mmap(-1, 4096, prot=every)
page.write(bytes.fromhex("cc c3" if os.uname().machine == "x86_64" else "000020d4"))
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(None)(start)()
