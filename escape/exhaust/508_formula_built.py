# id: exhaust/508
# technique: a formula that builds more than it may
# family: memory
# attacks: built, total-language
# context: job
# reaches: memory of the caller's own process
# expect: outcome limit_exceeded:built
# must-not: a value
# control: none: it is harmless, and outside nothing counts it
# limits: built=1KiB
len([x for x in range(3000)])
