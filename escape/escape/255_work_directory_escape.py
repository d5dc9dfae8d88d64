# id: escape/255
# technique: walks up from where it was started, without the root's leave
# family: filesystem
# attacks: no-host-files
# context: job
# reaches: the host's tree from a working directory that was left open
# expect: verdict denied
# must-not: a directory above the root
# control: none: a process outside stands below its root; the fault was in how a runtime enters
# limits: open_files=128
# seen-in: CVE-2024-21626 (runc)
import json
import os


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/255", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


here = os.getcwd()
root = os.stat("/")
place = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
for _ in range(64):
    try:
        place = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=place)
    except PermissionError as error:
        say(False, error)
        raise SystemExit
top = os.fstat(place)
strange = here.startswith("(unreachable)") or (top.st_dev, top.st_ino) != (root.st_dev, root.st_ino)
say(strange, "%s, %d.%d and %d.%d" % (here, top.st_dev, top.st_ino, root.st_dev, root.st_ino))
