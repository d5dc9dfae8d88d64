# id: exhaust/077
# technique: raises its own limits again
# family: process-tree
# attacks: open_files, file_size, no-privileges
# context: job
# expect: verdict denied
# must-not: any hard limit raised
# control: none: root outside may lack CAP_SYS_RESOURCE as well
import json
import resource


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "exhaust/077", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


raised = []
for name in ("AS", "CPU", "NPROC", "NOFILE", "FSIZE", "CORE", "SIGPENDING", "MEMLOCK", "MSGQUEUE"):
    which = getattr(resource, "RLIMIT_" + name, {"SIGPENDING": 11}.get(name))
    soft, hard = resource.getrlimit(which)
    more = 2 * hard + 1 if hard < 1 << 31 else resource.RLIM_INFINITY
    try:
        resource.setrlimit(which, (soft, more))
        if hard != more:
            raised.append(name)
    except (OSError, ValueError):
        pass
say(raised, raised)
