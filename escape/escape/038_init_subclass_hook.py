# id: escape/038
# technique: __init_subclass__ runs submission code while the class statement runs
# family: syntax
# attacks: separate-address-space
# context: builtins:__build_class__
# reaches: call without Call node
# stopped-by: expr; check PY222; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md
class A:
    def __init_subclass__(cls):
        out.append(cls.__base__.__base__.__subclasses__())
out = []
class B(A):
    pass
leak = out[0]
