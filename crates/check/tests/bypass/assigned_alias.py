# technique: a module gets another name by an assignment
# family: checker-blind-spot
# context: import json
# reaches: builtins module
# written against: the check of this project, which follows `import … as` and nothing else
import json
other = json
leak = other.codecs.builtins
