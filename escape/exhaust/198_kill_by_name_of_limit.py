# id: exhaust/198
# technique: SIGALRM and SIGVTALRM, as timers of limits would send
# family: crash
# attacks: wall, cpu
# context: job
# expect: outcome crashed:SIGALRM
# must-not: the run told as a limit that was reached
# control: none: a crash is the same everywhere; what is attacked is the account of it
import os
import signal

os.kill(os.getpid(), signal.SIGALRM)
