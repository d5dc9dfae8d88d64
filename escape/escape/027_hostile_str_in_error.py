# id: escape/027
# technique: raise an exception whose __str__ runs when the host logs it
# family: errors
# attacks: separate-address-space
# context: builtins:Exception,__build_class__
# reaches: code execution inside the host's error handler, after the checks
# stopped-by: expr; check PY221; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md (errors are reported back)
class Boom(Exception):
    def __str__(self):
        return "ran in the host: " + self.__class__.__name__
leak = "hostile-str"
raise Boom()
