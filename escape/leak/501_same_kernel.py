# id: leak/501
# technique: tell from its build whether the kernel is the host's
# family: kernel-surface
# attacks: separate-kernel
# context: job
# reaches: a kernel whose faults are everybody's
# expect: found false
# must-not: the host's build
# control: outside
# input: host
import json
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "input.json")) as file:
    host = json.load(file)
name = os.uname()
found = f"{name.release} {name.version}" == host["kernel"]
print(json.dumps({"id": "leak/501", "found": found, "detail": name.version}))
