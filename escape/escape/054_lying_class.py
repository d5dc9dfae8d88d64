# id: escape/054
# technique: an instance whose __class__ says dict passes the host's isinstance
# family: state
# attacks: separate-address-space
# context: builtins:__build_class__,dict
# reaches: a live object crosses back as 'data'
# stopped-by: expr; check PY222; process (bytes cross, not objects)
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
class D:
    __class__ = dict
leak = D()
