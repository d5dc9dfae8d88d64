# id: exhaust/195
# technique: recursion without a bound in machine code: the stack's end
# family: crash
# attacks: wall
# context: job
# expect: outcome crashed:SIGSEGV
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
import ctypes
import mmap
import os

every = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
page = mmap.mmap(-1, 4096, prot=every)
# push rax; jmp -3, or its like: down the stack until it ends.
there = os.uname().machine == "x86_64"
page.write(bytes.fromhex("50 ebfd" if there else "ff8300d1 ff0300f9 feffff17"))
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(None)(start)()
