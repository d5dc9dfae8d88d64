# id: exhaust/174
# technique: an exception with a message of ten mebibytes
# family: account
# attacks: stderr
# context: job
# expect: outcome raised:ValueError
# must-not: an account that grows without bound
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
raise ValueError("m" * (10 << 20))
