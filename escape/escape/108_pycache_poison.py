# id: escape/108
# technique: write a compiled file beside trusted sources
# family: persistence
# attacks: no-host-files
# context: job
# reaches: trusted code that somebody else runs later
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
# needs: root
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/108", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for name in ("json", "os", "encodings", "site"):
    cached = getattr(__import__(name), "__cached__", None)
    if not cached:
        continue
    folder = os.path.dirname(cached)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    if os.access(folder, os.W_OK):
        hits.append(cached)
say(hits, hits)
