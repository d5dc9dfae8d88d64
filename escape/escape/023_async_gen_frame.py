# id: escape/023
# technique: ag_frame of an asynchronous generator
# family: frames
# attacks: separate-address-space
# context: bare
# reaches: host frame by f_back
# stopped-by: expr; check PY202; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython 8.5 adds ag_frame
async def agen():
    f = a.ag_frame
    while f.f_back is not None:
        f = f.f_back
    box.append(f.f_globals)
    yield 1
box = []
a = agen()
try:
    a.__anext__().send(None)
except:
    pass
leak = box[0]
