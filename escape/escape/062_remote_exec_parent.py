# id: escape/062
# technique: PEP 768 sys.remote_exec injects a script into another Python process
# family: native
# attacks: separate-address-space
# context: import sys,os
# reaches: a Python supervisor of the same uid
# stopped-by: expr; check PY310; process with another uid; jail (pid namespace)
# expect: specimen
# must-not: a script pending in the parent
# control: outside
# min-python: 3.14
import os, sys
leak = None
if hasattr(sys, "remote_exec"):
    try:
        sys.remote_exec(os.getppid(), "/nonexistent/corpus.py")
        leak = "injected"
    except (OSError, PermissionError, RuntimeError) as e:
        leak = None
