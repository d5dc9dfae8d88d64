# id: escape/059
# technique: code.replace with short co_consts: LOAD_CONST reads past the tuple
# family: native
# attacks: separate-address-space
# context: bare
# reaches: memory corruption from pure Python (built, not run)
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
def f():
    return 12345
leak = f.__code__.replace(co_consts=())
