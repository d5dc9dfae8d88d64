# id: leak/023
# technique: a generator of random numbers with a state that can be guessed
# family: side-channel
# attacks: separate-address-space
# context: job
# reaches: predictable tokens where runs come from one image
# expect: found false
# must-not: the same numbers in two runs
# control: none: an interpreter outside is not the copy of another
import json
import os
import random
import sys
import time


def say(found, detail, absent=False):
    line = {"id": "leak/023", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


state = random.getstate()
now = int(time.time())
seeds = list(range(1000)) + list(range(now - 30, now + 2)) + [os.getpid(), os.getppid()]
known = [seed for seed in seeds if random.Random(seed).getstate() == state]
fixed = os.environ.get("PYTHONHASHSEED", "random") != "random" or not sys.flags.hash_randomization
say(known or fixed, "seeds %s, hash seed fixed: %s" % (known, fixed))
