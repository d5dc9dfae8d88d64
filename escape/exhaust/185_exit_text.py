# id: exhaust/185
# technique: an exit with a text instead of a code
# family: account
# attacks: stderr
# context: job
# expect: outcome exited:1
# must-not: a text taken for an exception
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import sys

sys.exit("x" * 10_000)
