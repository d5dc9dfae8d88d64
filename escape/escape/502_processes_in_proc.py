# id: escape/502
# technique: look for processes in /proc that are neither oneself nor the guest's init
# family: processes
# attacks: no-host-processes
# context: job
# reaches: names, arguments and owners of everything that runs on the host
# expect: verdict denied
# must-not: a process of the host
# control: outside
import json
import os

seen = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
others = [pid for pid in seen if pid not in (1, os.getpid(), os.getppid())]
verdict = "REACHED" if others else "DENIED"
print(json.dumps({"id": "escape/502", "verdict": verdict, "detail": others[:10]}))
