# id: exhaust/197
# technique: asks for a core, then aborts in a directory that it can write to
# family: crash
# attacks: disk
# context: job
# expect: outcome exited:40
# must-not: a core file, a supervisor that hangs, another verdict than a crash
# control: none: a crash is the same everywhere; what is attacked is the account of it
# needs: cgroup
import os
import resource
import signal
import sys

try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError):
    pass
if os.fork() == 0:
    os.abort()
code = os.waitstatus_to_exitcode(os.wait()[1])
cores = [name for name in os.listdir(".") if "core" in name]
sys.exit(50 + len(cores) if cores or -code != signal.SIGABRT else 40)
