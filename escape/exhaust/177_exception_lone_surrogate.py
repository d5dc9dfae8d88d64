# id: exhaust/177
# technique: a message and a name that cannot be written as UTF-8
# family: account
# attacks: stderr
# context: job
# expect: outcome raised
# must-not: a supervisor that fails at them
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os

os.write(2, b"." * 5000)

kind = type("E", (Exception,), {})
kind.__qualname__ = "E\udc80"
kind.__module__ = "\udfff"
raise kind("\ud800\udfff\udcff")
