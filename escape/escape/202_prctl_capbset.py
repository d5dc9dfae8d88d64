# id: escape/202
# technique: PR_CAPBSET_READ: any capability left to be gained by exec
# family: prctl
# attacks: no-privileges
# context: job
# reaches: what set-user-id and file capabilities give
# expect: verdict denied
# must-not: one in the bounding set, or no_new_privs unset
# control: outside
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/202", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


left = [number for number in range(41) if libc.prctl(23, number, 0, 0, 0) == 1]
gains = libc.prctl(39, 0, 0, 0, 0) == 0
say(left or gains, "%d in the bounding set, gains by exec: %s" % (len(left), gains), absent=True)
