# id: escape/022
# technique: cr_frame / cr_await of a coroutine
# family: frames
# attacks: separate-address-space
# context: bare
# reaches: host frame by f_back while running
# stopped-by: expr; check PY202; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython INSPECT_ATTRIBUTES
async def co():
    f = c.cr_frame
    while f.f_back is not None:
        f = f.f_back
    out.append(f.f_globals)
out = []
c = co()
try:
    c.send(None)
except:
    pass
leak = out[0]
