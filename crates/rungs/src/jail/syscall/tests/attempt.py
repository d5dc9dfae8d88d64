# Each argument is `number,argument,...`: makes that call in a child and prints how it ended.
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

for line in sys.argv[1:]:
    numbers = [ctypes.c_long(int(part)) for part in line.split(",")]
    child = os.fork()
    if child == 0:
        os.setsid()
        answer = libc.syscall(*numbers)
        os._exit(ctypes.get_errno() if answer == -1 else 0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print("signal", os.WTERMSIG(status))
    else:
        print("errno", os.WEXITSTATUS(status))
