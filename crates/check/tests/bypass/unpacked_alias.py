# technique: a module gets another name in a loop, and one by a walrus
# family: checker-blind-spot
# context: import json
# reaches: builtins module
# written against: the check of this project, which follows `import … as` and nothing else
import json
for module in (json,):
    leak = module.codecs.builtins
again = (inner := json).codecs
