# id: escape/020
# technique: operator.attrgetter/methodcaller do attribute access from a string
# family: bridge
# attacks: separate-address-space
# context: import operator
# reaches: any dotted dunder path, unseen by a filter on Attribute nodes
# stopped-by: expr; check PY212; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: simpleeval 1.0.6+ (#199)
import operator
leak = operator.attrgetter("__class__.__base__.__subclasses__")(())()
