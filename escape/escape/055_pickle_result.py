# id: escape/055
# technique: a pickle as result runs on the trusted side
# family: state
# attacks: separate-address-space
# context: import pickle
# reaches: code execution at unpickling
# stopped-by: expr; check PY312; protocol (JSON only)
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
import pickle
class R:
    def __reduce__(self):
        return (len, ("harmless",))
leak = pickle.dumps(R())
