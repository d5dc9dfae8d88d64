# id: escape/043
# technique: identifiers are NFKC-normalised after the text filter looked
# family: syntax
# attacks: separate-address-space
# context: bare
# reaches: any blocklisted spelling
# stopped-by: expr; check PY201 (parser normalises); process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: pyjail classic
leak = ().__𝒸lass__.__𝒷ase__.__𝓈ubclasses__()
