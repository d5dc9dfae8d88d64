# id: exhaust/507
# technique: a formula that goes through more items than it may pay for
# family: cpu
# attacks: cost, total-language
# context: job
# reaches: a processor of the caller's own process
# expect: outcome limit_exceeded:cost
# must-not: a value
# control: none: it is harmless, and outside nothing counts it
len([x for x in range(100000) if x * x > 3])
