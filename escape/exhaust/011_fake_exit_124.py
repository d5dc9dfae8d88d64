# id: exhaust/011
# technique: exits with the code that elsewhere means a timeout
# family: account
# attacks: wall
# context: job
# expect: outcome exited:124
# must-not: the run told as a timeout
# control: none: the attack is on how the supervisor reads the code
import sys

sys.exit(124)
