# id: escape/004
# technique: os._wrap_close among the subclasses carries the os module dict
# family: object-graph
# attacks: separate-address-space
# context: bare
# reaches: os.system, os.environ
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: pyjail classic
leak = None
for c in ().__class__.__base__.__subclasses__():
    if c.__name__ == "_wrap_close":
        leak = c.__init__.__globals__["system"]
