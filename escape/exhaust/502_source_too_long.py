# id: exhaust/502
# technique: a program longer than is allowed
# family: submission
# attacks: source
# context: job
# reaches: memory of the supervisor
# expect: error invalid_submission
# must-not: a run
# control: none: it never runs, and outside nothing counts it
# limits: source=200B
print("longer than two hundred bytes, its header counted")
