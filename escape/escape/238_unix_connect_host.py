# id: escape/238
# technique: connects to whatever sockets lie in the file system
# family: network
# attacks: no-network
# context: job
# reaches: databases, message buses, agents
# expect: verdict denied
# must-not: a connection
# control: outside
import json
import os
import socket
import stat


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/238", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits = []
for folder in ("/run", "/var/run", "/tmp", "/var/lib", "/dev"):
    for place, folders, names in os.walk(folder):
        if place.count("/") > 4:
            folders.clear()
        for name in names:
            path = os.path.join(place, name)
            try:
                if not stat.S_ISSOCK(os.lstat(path).st_mode):
                    continue
            except OSError:
                continue
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_UNIX, kind) as one:
                    try:
                        one.settimeout(1)
                        one.connect(path)
                        hits.append(path)
                    except OSError:
                        pass
say(hits, hits[:5], absent=not hits)
