# id: escape/032
# technique: a decorator is a call that no Call visitor sees
# family: syntax
# attacks: separate-address-space
# context: builtins:eval
# reaches: eval of a string, no Call node
# stopped-by: expr; check PY220; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md; Langflow CVE-2025-3248
@eval
@(lambda f: "().__class__.__base__.__subclasses__()")
def leak():
    pass
