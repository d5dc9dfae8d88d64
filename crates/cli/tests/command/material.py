"""Makes what the tests of templates are made from. Usage: `python3 material.py WHAT ARG...`"""
import base64
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile


def wheel(folder, name, version, *files):
    """A wheel whose files are given as PATH=TEXT."""
    info = f"{name}-{version}.dist-info"
    held = dict(file.split("=", 1) for file in files)
    held[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    held[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for path, text in held.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        record += f"{path},sha256={digest.decode().rstrip('=')},{len(text)}\n"
    held[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(f"{folder}/{name}-{version}-py3-none-any.whl", "w") as file:
        for path, text in held.items():
            file.writestr(path, text)


def rootfs(path, tree):
    """A layer with a prepared tree and the standard library that belongs to it."""
    library = os.path.dirname(os.__file__)

    def wanted(entry):
        parts = entry.name.split("/")
        return None if {"test", "__pycache__", "ensurepip"} & set(parts) else entry

    with tarfile.open(path, "w") as file:
        file.add(tree, ".", filter=wanted)
        file.add(library, library[1:], filter=wanted)
        for name in ("bin", "lib", "lib64", "sbin"):
            if os.path.islink("/" + name):
                file.add("/" + name, name)


def small(path, *files):
    """A layer with files given as PATH=TEXT."""
    with tarfile.open(path, "w") as file:
        for given in files:
            name, text = given.split("=", 1)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text), 0o755
            file.addfile(entry, io.BytesIO(text.encode()))


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def put(file, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    file.addfile(entry, io.BytesIO(data))


def read(paths):
    layers = []
    for path in paths:
        with open(path, "rb") as file:
            layers.append(file.read())
    config = {"os": "linux", "rootfs": {"type": "layers", "diff_ids": [digest(l) for l in layers]}}
    return layers, json.dumps(config).encode()


def oci(path, *paths):
    """As `skopeo copy … oci-archive:`: compressed layers, an index."""
    layers, config = read(paths)
    packed = [gzip.compress(layer, 1) for layer in layers]
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "config": {"digest": digest(config), "size": len(config)},
            "layers": [{"digest": digest(data), "size": len(data)} for data in packed],
        }
    ).encode()
    index = {"schemaVersion": 2, "manifests": [{"digest": digest(manifest)}]}
    with tarfile.open(path, "w") as file:
        put(file, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
        put(file, "index.json", json.dumps(index).encode())
        for data in [config, manifest, *packed]:
            put(file, "blobs/sha256/" + digest(data)[7:], data)


def docker(path, *paths):
    """As `docker save | gzip`: plain layers, a list, and a link for a layer that comes again."""
    layers, config = read(paths)
    names = [f"{digest(layer)[7:19]}/layer.tar" for layer in layers]
    named = ["first.tar", *names[1:]]
    listed = [{"Config": "config.json", "RepoTags": ["test:latest"], "Layers": named}]
    with tarfile.open(path, "w:gz", compresslevel=1) as file:
        put(file, "config.json", config)
        link = tarfile.TarInfo("first.tar")
        link.type, link.linkname = tarfile.SYMTYPE, names[0]
        file.addfile(link)
        for name, layer in zip(names, layers):
            put(file, name, layer)
        put(file, "manifest.json", json.dumps(listed).encode())


what, *args = sys.argv[1:]
{"wheel": wheel, "rootfs": rootfs, "small": small, "oci": oci, "docker": docker}[what](*args)
