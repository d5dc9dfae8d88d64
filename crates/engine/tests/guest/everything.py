"""Runs in a bare template: everything that the standard library offers must be there, and nothing
else of the host."""
import importlib
import locale
import os
import pwd
import subprocess
import sys
import sysconfig
import zoneinfo

import stockade_guest as g

folder = next(path for path in sys.path if path.endswith("lib-dynload"))
names = sorted({name.split(".")[0] for name in os.listdir(folder) if name.endswith(".so")})
# They need a second interpreter or a header of the test suite.
names = [name for name in names if not name.startswith(("_test", "_xx", "xx", "_ctypes_test"))]
failed = []
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed.append(f"{name}: {error}")
for name in ("asyncio ctypes decimal email http.client json lzma multiprocessing sqlite3 ssl "
             "urllib.request uuid venv xml.etree.ElementTree zipfile").split():
    importlib.import_module(name)
assert not failed, failed

import sqlite3, ssl

assert sqlite3.connect(":memory:").execute("select 1 + 1").fetchone() == (2,)
ssl.create_default_context()
if os.path.isdir("/usr/share/zoneinfo"):
    assert str(zoneinfo.ZoneInfo("Europe/Madrid")) == "Europe/Madrid"
if os.path.isdir("/usr/lib/locale"):
    assert locale.setlocale(locale.LC_ALL, "") == "C.UTF-8"
assert pwd.getpwuid(1000).pw_dir == "/tmp/home"
assert subprocess.run(["sh", "-c", "echo $((1 + 1)) | cat"], capture_output=True).stdout == b"2\n"
shown = [sys.executable, "-c", "import sys; print(sys.version_info[0])"]
assert subprocess.run(shown, capture_output=True).stdout == b"3\n"

assert sys.path[-1] == "/work", sys.path
assert sys.stdout.encoding == "utf-8" and sys.stdout.line_buffering
assert "certifi" not in sys.modules and not os.environ.get("STOCKADE_RAISED")
site = os.path.dirname(g.__file__)
assert sorted(os.listdir(site)) == [
    "__pycache__", "_stockade_boot.py", "_stockade_call.py", "_stockade_zygote_park.py",
    "stockade.pth", "stockade_guest.py"
], os.listdir(site)
assert len(os.listdir(site + "/__pycache__")) == 4
assert g.__cached__.startswith(site + "/__pycache__/")
top = sorted(set(os.listdir("/")) - {"bin", "sbin", "lib", "lib32", "lib64"})
mine = {"dev", "etc", "run", "tmp", "usr", "work", sys.prefix.split("/")[1]}
assert set(top) == mine, top
assert sorted(os.listdir("/etc")) == sorted(
    ["group", "hosts", "localtime", "nsswitch.conf", "passwd"] + ["ssl"] * os.path.isdir("/etc/ssl")
), os.listdir("/etc")
here = os.path.realpath(sysconfig.get_paths()["stdlib"])
bound = (here, "/usr/share", "/dev")
found = [path for path, _, files in os.walk("/") if not path.startswith(bound)
         for name in files if name.endswith(".py")]
assert set(found) <= {site, "/work"}, found
print(len(names), "extension modules of", sys.version.split()[0])
g.emit("whole")
