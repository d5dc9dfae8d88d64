# id: escape/114
# technique: a callable given to a builtin is called where no Call node names it
# family: checker-blind-spot
# attacks: separate-address-space
# context: helper
# reaches: call of any callable with chosen arguments
# stopped-by: expr; process
# expect: specimen
# must-not: any document or message calling a file that passes the check safe
# control: outside
# seen-in: found by hand against our own prototype of the check
seen = []
for x in map(fetch_row, [1, 2]):
    seen.append(x)
leak = seen[0][1]
