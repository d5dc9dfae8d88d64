"""Prints, as JSON, what a template must hold for this interpreter to run: asked of the
interpreter and of the loader that its own ELF file names, not guessed.

Runs on the host, as `python3 -I -S - TOOL...` with this text as its input.
"""
import json
import os
import site
import struct
import subprocess
import sys
import sysconfig

PT_INTERP = 3
# What the C library opens by itself, or what programs open by name: in no file's list of needs.
# The last line: what wheels may expect of any system (PEP 600), beyond what Python itself needs.
UNLISTED = (
    "libgcc_s.so.1 libnss_files.so.2 libnss_dns.so.2 libresolv.so.2 libdl.so.2 "
    "libpthread.so.0 librt.so.1 libutil.so.1 "
    "libstdc++.so.6 libm.so.6 libz.so.1 libexpat.so.1 libatomic.so.1"
).split()


def loader_of(path):
    """The program interpreter of an ELF file; `None` for a static one and for a script."""
    with open(path, "rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:4] != b"\x7fELF":
            return None
        if head[4] != 2 or head[5] != 1:
            sys.exit(f"{path} is not a 64-bit little-endian ELF file")
        (start,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(start)
        table = file.read(size * count)
        for place in range(0, len(table), size):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", table, place)
            if kind == PT_INTERP:
                file.seek(offset)
                return os.fsdecode(file.read(length).rstrip(b"\0"))
    return None


def listed(loader, path, *options):
    """What the loader would load for a file: name to path, and the names it did not find."""
    run = subprocess.run(
        [loader, *options, "--list", path],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={},
    )
    found, missing = {}, []
    text = os.fsdecode(run.stdout)
    if run.returncode != 0 and "=>" not in text:
        sys.exit(f"`{loader} --list {path}` failed: {os.fsdecode(run.stderr).strip()[:300]}")
    for line in text.splitlines():
        name, arrow, place = line.strip().partition(" => ")
        if not arrow:
            continue
        place = place.rpartition(" (0x")[0]
        if place.startswith("/"):
            found[name] = place
        else:
            missing.append(name)
    return found, missing


def library_paths(loader, files):
    """Every library that the files need, and the directories that only the host's cache knows."""
    libraries, extra, unusable = set(), set(), []
    for path in files:
        found, missing = listed(loader, path, "--inhibit-cache")
        if missing:
            cached, missing = listed(loader, path)
            for name, place in cached.items():
                if name not in found:
                    extra.add(os.path.dirname(place))
            found = cached
        if missing:
            # An extension module whose library is not installed fails to import here too.
            unusable.append({"file": path, "missing": missing})
        else:
            libraries.update(found.values())
    return libraries, extra, unusable


def tool_paths(names):
    found = {}
    for name in names:
        for folder in ("/usr/bin", "/bin"):
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK) and os.path.isfile(path):
                found[name] = path
                break
    return found


def main():
    interpreter = os.path.realpath(sys.executable)
    version = list(sys.version_info[:3])
    report = {"version": version, "interpreter": interpreter}
    if sys.prefix != sys.base_prefix:
        report["base"] = os.path.realpath(sys._base_executable)
    if version < [3, 9, 0] or "base" in report:
        print(json.dumps(report))
        return
    paths = sysconfig.get_paths()
    library = os.path.realpath(paths["stdlib"])
    platform = os.path.realpath(paths["platstdlib"])
    dynload = [path for path in sys.path if path.endswith("lib-dynload") and os.path.isdir(path)]
    modules = [
        os.path.join(folder, name)
        for folder in dynload for name in sorted(os.listdir(folder)) if name.endswith(".so")
    ]
    tools = tool_paths(sys.argv[1:])
    loader = loader_of(interpreter)
    libraries, extra, unusable = set(), set(), []
    if loader is not None:
        programs = [path for path in tools.values() if loader_of(path) == loader]
        libraries, extra, unusable = library_paths(loader, [interpreter, *modules, *programs])
        broken = {item["file"] for item in unusable}
        tools = {name: path for name, path in tools.items() if path not in broken}
        for folder in sorted({os.path.dirname(path) for path in libraries if "libc.so" in path}):
            unlisted = (os.path.join(folder, name) for name in UNLISTED)
            libraries.update(path for path in unlisted if os.path.exists(path))
    report.update(
        platform=sysconfig.get_platform(),
        library=library,
        platform_library=platform,
        dynload=dynload,
        landmark=os.path.realpath(os.__file__),
        sites=site.getsitepackages(),
        loader=loader,
        libraries=sorted(libraries),
        library_dirs=sorted(extra),
        unusable=unusable,
        tools=tools,
    )
    print(json.dumps(report))


main()
