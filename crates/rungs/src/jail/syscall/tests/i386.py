# `getpid` through the i386 entry: `mov eax, 20; int 0x80; ret`.
import ctypes
import mmap
import os

page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
child = os.fork()
if child == 0:
    function()
    os._exit(0)
status = os.waitpid(child, 0)[1]
print(f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "errno 0")
