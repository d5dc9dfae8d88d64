# id: escape/053
# technique: __del__ fires in the host after the window closed
# family: state
# attacks: separate-address-space
# context: builtins:__build_class__
# reaches: host thread, no limits in force
# stopped-by: expr; check PY222; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: smolagents #2395
class T:
    def __del__(self):
        pass
leak = T()
