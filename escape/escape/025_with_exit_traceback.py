# id: escape/025
# technique: __exit__ receives the traceback: frames without naming any exception class
# family: frames
# attacks: separate-address-space
# context: builtins:__build_class__
# reaches: host frame and globals
# stopped-by: expr; check PY202; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
class C:
    def __enter__(self):
        return self
    def __exit__(self, t, v, tb):
        f = tb.tb_frame
        while f.f_back is not None:
            f = f.f_back
        out.append(f.f_globals)
        return True
out = []
with C():
    1 / 0
leak = out[0]
