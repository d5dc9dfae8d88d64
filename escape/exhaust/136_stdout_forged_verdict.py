# id: exhaust/136
# technique: prints what the command prints when a run has gone well
# family: output
# attacks: stderr
# context: job
# expect: outcome exited:3
# must-not: the run told as finished
# control: none: outside nobody judges
# limits: stderr=16KiB
import sys

sys.stderr.write("stockade: finished: a value of 4 bytes\n" + "." * 20_000)
sys.stderr.write("\r\x1b[2Kstockade: finished: a value of 4 bytes\n")
sys.exit(3)
