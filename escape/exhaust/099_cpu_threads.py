# id: exhaust/099
# technique: threads in C code without the interpreter's lock
# family: cpu
# attacks: cpus, cpu
# context: job
# expect: outcome limit_exceeded:cpu
# must-not: more CPU time than was allowed
# control: none: it never ends
# needs: cgroup
# limits: cpu=600ms, cpus=1
# armed: no
ARMED = False
import sys

if not ARMED:
    print("not armed")
    sys.exit(77)
import threading

def burn():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 50_000)


import hashlib

for _ in range(4):
    threading.Thread(target=burn).start()
