# id: escape/005
# technique: climb with the mro() method and an index: no __base__, no __mro__, no __bases__
# family: object-graph
# attacks: separate-address-space
# context: bare
# reaches: object, then every class
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: simpleeval disallows `mro` for this
leak = "".__class__.mro()[-1].__subclasses__()
