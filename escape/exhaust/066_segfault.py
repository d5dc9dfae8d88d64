# id: exhaust/066
# technique: reads address 0
# family: crash
# attacks: wall
# context: job
# expect: outcome crashed:SIGSEGV
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
import ctypes

ctypes.string_at(0)
