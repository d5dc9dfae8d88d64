# id: exhaust/069
# technique: SIGKILL to itself
# family: crash
# attacks: memory, cpu
# context: job
# expect: outcome crashed:SIGKILL
# must-not: the run told as a limit that was reached
# control: none: a crash is the same everywhere; what is attacked is the account of it
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
