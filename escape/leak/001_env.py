# id: leak/001
# technique: environment variables
# family: environment
# attacks: empty-environment
# context: job
# reaches: API keys, tokens, host paths
# expect: found false
# must-not: a name that the guest's documentation does not have
# control: outside
import json
import os


def say(found, detail, absent=False):
    line = {"id": "leak/001", "found": bool(found), "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


documented = {
    "HOME", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "PATH", "PWD",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR", "SSL_CERT_FILE",
    "VECLIB_MAXIMUM_THREADS",
}
names = sorted(
    name for name in set(os.environ) - documented
    if not name.endswith("_NUM_THREADS") and not name.startswith("STOCKADE_")
)
say(names, names)
