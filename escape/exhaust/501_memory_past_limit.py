# id: exhaust/501
# technique: touch half as much memory again as is allowed, and no more
# family: memory
# attacks: memory
# context: job
# reaches: memory of others; bounded by itself, so that it can be run where nothing holds it
# expect: outcome limit_exceeded:memory
# must-not: the end of the program
# control: outside
# needs: cgroup
import json

held = bytearray(192 << 20)
for page in range(0, len(held), 4096):
    held[page] = 1
print(json.dumps({"id": "exhaust/501", "verdict": "REACHED", "detail": len(held)}))
