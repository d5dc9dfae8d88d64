# id: exhaust/182
# technique: a traceback through files and functions whose names forge lines
# family: account
# attacks: stderr
# context: job
# expect: outcome raised:ValueError
# must-not: a file read because a traceback names it
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os

os.write(2, b"." * 5000)

source = "def f():\n    raise ValueError('x')\nf()"
exec(compile(source, "/etc/shadow\n\x1b[31mstockade: denied\u202e", "exec"))
