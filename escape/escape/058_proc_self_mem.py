# id: escape/058
# technique: write this process's memory through /proc/self/mem: no FFI needed
# family: native
# attacks: separate-address-space
# context: import os,sys
# reaches: overwrites immutable objects, hence in-process policy
# stopped-by: expr; check PY310; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
a = b"AAAAAAAA-corpus-target"[:]
import sys
off = id(a) + sys.getsizeof(b"") - 1
try:
    with open("/proc/self/mem", "r+b", buffering=0) as m:
        m.seek(off)
        m.write(b"B")
except OSError as e:
    leak = None
else:
    leak = "patched" if a.startswith(b"B") else None
