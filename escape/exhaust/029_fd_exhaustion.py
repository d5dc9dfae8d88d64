# id: exhaust/029
# technique: opens descriptors until refused
# family: descriptors
# attacks: open_files
# context: job
# expect: verdict denied
# must-not: more than 64 open, or another error than EMFILE
# control: none: how many a process may open outside is the host's setting
import errno
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/029", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


keep = []
try:
    while len(keep) < 4096:
        keep.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    count = len(keep)
    for one in keep:
        os.close(one)
    say(count > 64 or error.errno != errno.EMFILE, "%d, %s" % (count, error))
else:
    for one in keep:
        os.close(one)
    say(True, "4096 and more")
