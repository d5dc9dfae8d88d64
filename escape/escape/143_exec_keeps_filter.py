# id: escape/143
# technique: executes a new program, which then makes the forbidden call
# family: filter
# attacks: filtered-syscalls
# context: job
# reaches: the filter left behind
# expect: outcome denied
# must-not: an answer
# control: outside
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)

script = """
import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
result = libc.mount(None, None, None, 0, None)
print(json.dumps({"id": "escape/143", "verdict": "REACHED", "detail": ctypes.get_errno()}))
"""
os.execv(sys.executable, [sys.executable, "-I", "-c", script])
