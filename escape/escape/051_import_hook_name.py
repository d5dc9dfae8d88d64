# id: escape/051
# technique: __builtins__ left in the namespace is the whole module
# family: import
# attacks: separate-address-space
# context: file
# reaches: everything
# stopped-by: expr; check PY201; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: the argument in DESIGN.md stage 1
b = __builtins__
leak = b["__import__"] if isinstance(b, dict) else b.__import__
