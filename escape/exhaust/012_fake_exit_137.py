# id: exhaust/012
# technique: exits with the code that elsewhere means a kill for want of memory
# family: account
# attacks: memory
# context: job
# expect: outcome exited:137
# must-not: the run told as a kill for want of memory
# control: none: the attack is on how the supervisor reads the code
import sys

sys.exit(137)
