# id: exhaust/504
# technique: a program that has no end, where every program must have one
# family: cpu
# attacks: total-language
# context: job
# reaches: a processor for ever
# expect: outcome raised
# must-not: a start
# control: none: it has no end
# armed: no -- it has no end
ARMED = False
while ARMED:
    pass
