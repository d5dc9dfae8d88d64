# id: escape/021
# technique: a running generator's frame leads back to the caller
# family: frames
# attacks: separate-address-space
# context: bare
# reaches: f_back of the exec call: the host's frame, its globals and locals
# stopped-by: expr; check PY202; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; RestrictedPython CVE-2023-37271
def walk():
    f = g.gi_frame.f_back
    last = f
    while f is not None:
        last = f
        f = f.f_back
    yield last.f_globals
g = walk()
leak = [x for x in g][0]
