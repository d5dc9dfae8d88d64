# id: escape/017
# technique: an allowlisted module re-exports a dangerous one under a plain name
# family: bridge
# attacks: separate-address-space
# context: import json
# reaches: builtins module through json.codecs.builtins: no underscore anywhere
# stopped-by: expr; check PY311; process
# expect: specimen
# must-not: the secret of the trusted process in reach of the program
# control: outside
# seen-in: Zope CVE-2021-32633/32674/32811 family; simpleeval CVE-2026-32640
import json
leak = json.codecs.builtins
