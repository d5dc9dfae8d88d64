# id: escape/012
# technique: assign the helper a new __code__: our bytecode, the host's globals
# family: bridge
# attacks: separate-address-space
# context: helper
# reaches: any host name, any builtin; also poisons later host calls
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: smolagents CVE-2026-4963
def g(*a):
    return __import__
fetch_row.__code__ = g.__code__.replace(co_freevars=fetch_row.__code__.co_freevars)
leak = fetch_row(1)
