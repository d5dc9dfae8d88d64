# id: escape/057
# technique: dlopen(NULL): libc of this very process
# family: native
# attacks: separate-address-space
# context: import ctypes
# reaches: raw syscalls, mprotect, memmove
# stopped-by: expr; check PY310; jail (syscall filter)
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; smolagents #2094
import ctypes, os
libc = ctypes.CDLL(None)
leak = libc.getpid() == os.getpid() and libc
