# id: exhaust/067
# technique: aborts, as if for a core
# family: crash
# attacks: wall
# context: job
# expect: outcome crashed:SIGABRT
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
import os

os.abort()
