# id: escape/115
# technique: legal, idiomatic, and never ends: nothing to ban
# family: checker-blind-spot
# attacks: separate-address-space
# context: bare
# reaches: a pinned core
# stopped-by: expr (bounded by construction); process (rlimit)
# expect: specimen
# must-not: any document or message calling a file that passes the check safe
# control: outside
# seen-in: found by hand against our own prototype of the check
leak = "conn-handle"
n = 0
while n < 10:
    n = n + 1
    if n == 9:
        n = 10 if True else 0
