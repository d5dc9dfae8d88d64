# id: escape/501
# technique: write to the kernel's own files about oneself in /proc
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: knobs of the kernel: memory past its page rights, the order of the OOM killer, dumps
# expect: verdict denied
# must-not: one that opens for writing
# control: outside
import json
import os

hits = []
for name in ("mem", "comm", "oom_score_adj", "coredump_filter", "timerslack_ns", "clear_refs"):
    try:
        os.close(os.open(f"/proc/self/{name}", os.O_WRONLY))
        hits.append(name)
    except OSError:
        pass
print(json.dumps({"id": "escape/501", "verdict": "REACHED" if hits else "DENIED", "detail": hits}))
