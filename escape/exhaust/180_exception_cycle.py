# id: exhaust/180
# technique: exceptions that are each other's cause, in a group of groups
# family: account
# attacks: stderr
# context: job
# expect: outcome raised:ExceptionGroup | raised:RecursionError
# why: the interpreter may not be able to print it
# must-not: an account without end
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
# min-python: 3.11
import os

os.write(2, b"." * 5000)

first, second = ValueError("first"), ValueError("second")
first.__cause__, second.__cause__ = second, first
error = first
for _ in range(200):
    error = ExceptionGroup("g", [error, first])
raise error
