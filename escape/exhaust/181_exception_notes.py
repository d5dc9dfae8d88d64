# id: exhaust/181
# technique: notes of a mebibyte each added to an exception
# family: account
# attacks: stderr
# context: job
# expect: outcome raised:ValueError
# must-not: an account that grows without bound
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
# min-python: 3.11
error = ValueError("noted")
for _ in range(8):
    error.add_note("n" * (1 << 20))
raise error
