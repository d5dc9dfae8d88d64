# id: exhaust/134
# technique: hundreds of exceptions, each the cause of the next
# family: flood
# attacks: stderr
# context: job
# expect: outcome raised:ValueError
# must-not: an account that grows without bound
# control: none: outside nobody counts what is written
# limits: stderr=16KiB, cpu=6s
error = ValueError("first")
for number in range(300):
    following = ValueError(number)
    following.__cause__ = error
    error = following
raise error
