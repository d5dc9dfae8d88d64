# id: exhaust/119
# technique: stacks of threads, each a gigabyte of address space
# family: memory
# attacks: address_space
# context: job
# expect: verdict denied
# must-not: more than 4 GiB reserved
# control: outside
# limits: address_space=4GiB, processes=32
import json
import threading


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/119", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


threading.stack_size(1 << 30)
gate = threading.Event()
made = 0
try:
    while made < 12:
        threading.Thread(target=gate.wait, daemon=True).start()
        made += 1
except RuntimeError as error:
    say(made > 4, "%d, %s" % (made, error))
else:
    say(True, made)
gate.set()
