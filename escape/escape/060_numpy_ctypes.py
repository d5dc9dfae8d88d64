# id: escape/060
# technique: the wanted library brings the FFI
# family: native
# attacks: separate-address-space
# context: import numpy
# reaches: ctypes through numpy.ctypeslib
# stopped-by: check PY311; jail
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: none: numpy is not on every host
# seen-in: the argument in DESIGN.md
import numpy
leak = numpy.ctypeslib.ctypes
