# id: exhaust/503
# technique: an input longer than all files together may be
# family: submission
# attacks: files
# context: job
# reaches: memory of the supervisor
# expect: error invalid_submission
# must-not: a run
# control: none: it never runs, and outside nothing counts it
# limits: files=16B
# input: "longer than sixteen bytes"
print("ran")
