# id: exhaust/209
# technique: the signal that says its CPU time is over, sent to itself
# family: crash
# attacks: cpu
# context: job
# expect: outcome crashed:SIGXCPU
# must-not: the run told as a limit that was reached
# control: none: a crash is the same everywhere; what is attacked is the account of it
import os
import signal

os.kill(os.getpid(), signal.SIGXCPU)
