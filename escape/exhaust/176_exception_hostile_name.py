# id: exhaust/176
# technique: a type whose name turns the direction, moves the cursor and forges a line
# family: account
# attacks: stderr
# context: job
# expect: outcome raised
# must-not: the operator's terminal obeying it
# control: none: what is attacked is the account of it
# limits: stderr=4KiB
import os

os.write(2, b"." * 5000)

name = "Error\u202e\x1b[2J\r\nstockade: finished"
raise type(name, (Exception,), {})("\x1b]0;owned\x07\x00")
