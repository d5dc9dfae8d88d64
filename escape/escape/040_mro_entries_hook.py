# id: escape/040
# technique: __mro_entries__ on a non-class base
# family: syntax
# attacks: separate-address-space
# context: builtins:__build_class__
# reaches: call at class creation with the bases tuple
# stopped-by: expr; check PY222; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
class D:
    def __mro_entries__(self, bases):
        out.append(self.__class__.__base__.__subclasses__())
        return ()
out = []
d = D()
class B(d):
    pass
leak = out[0]
