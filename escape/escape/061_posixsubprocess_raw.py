# id: escape/061
# technique: _posixsubprocess.fork_exec starts a program below subprocess
# family: native
# attacks: separate-address-space
# context: import _posixsubprocess
# reaches: process creation that many audit hooks do not see
# stopped-by: expr; check PY310; jail
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
import _posixsubprocess
leak = _posixsubprocess.fork_exec
