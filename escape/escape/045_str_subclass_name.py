# id: escape/045
# technique: a str subclass whose startswith lies defeats a guard on the name
# family: syntax
# attacks: separate-address-space
# context: builtins:getattr,str,__build_class__
# reaches: guarded getattr with isinstance checks
# stopped-by: expr; check PY210; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: RestrictedPython 7.2 fix
class N(str):
    def startswith(self, *a):
        return False
leak = getattr((), N("__class__"))
