# id: escape/024
# technique: exception -> __traceback__ -> tb_frame -> f_back
# family: frames
# attacks: separate-address-space
# context: builtins:Exception
# reaches: host frame and globals
# stopped-by: expr; check PY202; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
try:
    1 / 0
except Exception as e:
    f = e.__traceback__.tb_frame
    while f.f_back is not None:
        f = f.f_back
    leak = f.f_globals
