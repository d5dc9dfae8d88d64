"""Makes this interpreter a zygote: it loads modules, then waits to be copied, and goes on in the
copies alone. Loaded by `stockade.pth` where `STOCKADE_ZYGOTE` is set.

The wait is in the search for `sitecustomize`, the last thing that happens before the interpreter
opens its program: from there on a copy is like any interpreter that was started for the run. What
all copies would otherwise have in common is made anew in each.
"""
import atexit
import gc
import os
import sys

# What an interpreter needs of its own modules to end.
_NEEDED = frozenset(("builtins", "sys", "__main__", "_frozen_importlib"))

_loaded = {}
_extension = None


def install():
    """Called while `stockade.pth` is read, whose file is still open."""
    atexit.register(_shed)
    sys.meta_path.insert(0, _Finder)


class _Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "sitecustomize":
            sys.meta_path.remove(cls)
            _park()
        return None


def _park():
    global _extension
    socket = int(os.environ.pop("STOCKADE_ZYGOTE"))
    extension = os.environ.pop("STOCKADE_ZYGOTE_EXTENSION")
    preload = os.environ.pop("STOCKADE_PRELOAD").split()
    before = set(os.environ)
    for name in preload:
        try:
            __import__(name)
        except BaseException as error:
            message = f"cannot load `{name}`: {type(error).__name__}: {error}\n"
            os.write(2, message.encode("utf-8", "backslashreplace"))
            os._exit(3)
    _extension = _load(extension)
    # What modules put there is as if the program had loaded them; the rest is the run's.
    added = set(os.environ) - before
    sys.modules.setdefault("sitecustomize", type(sys)("sitecustomize"))
    sys.stdout.flush()
    sys.stderr.flush()
    _loaded.update(sys.modules)
    gc.collect()
    gc.freeze()
    words = _extension.serve(socket)
    _begin(words, added)


def _load(path):
    from importlib.machinery import ExtensionFileLoader, ModuleSpec

    loader = ExtensionFileLoader("_stockade_zygote", path)
    module = loader.create_module(ModuleSpec("_stockade_zygote", loader, origin=path))
    loader.exec_module(module)
    return module


def _begin(words, added):
    """The first thing that happens in a copy."""
    words = [os.fsdecode(word) for word in words.split(b"\0")[:-1]]
    arguments = int(words[0])
    argv, env = words[1 : 1 + arguments], words[1 + arguments :]
    if os.getpid() != 2:
        # The hook for exceptions was told so, before there was a process.
        os.write(2, b"the program is not process 2\n")
        os._exit(123)
    sys.orig_argv[:] = argv
    # `-I` and what comes before it are the interpreter's.
    sys.argv[:] = argv[2:]
    wanted = dict(item.split("=", 1) for item in env)
    for name in set(os.environ) - set(wanted) - added:
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    _diverge()


def _diverge():
    """Makes anew what the zygote has drawn, so that no two copies agree. `random` has seen to
    itself: it registers so with `os.register_at_fork`; but not its other users' generators."""
    modules = sys.modules
    if "random" in modules:
        modules["random"].seed()
    if "numpy.random" in modules:
        # The global one of old; generators that a program makes ask the kernel.
        modules["numpy.random"].seed()
    if "_ssl" in modules:
        # OpenSSL tells copies by their pid, and theirs is the zygote's.
        modules["_ssl"].RAND_add(os.urandom(64), 64.0)
    if "tempfile" in modules:
        modules["tempfile"]._name_sequence = None
    if "uuid" in modules:
        modules["uuid"]._node = None
        modules["uuid"]._last_timestamp = None


def _shed():
    """The first that was registered, so the last that is called. What the zygote had loaded is not
    taken apart: that would touch, and so copy, all of its memory. What the program has loaded and
    made is."""
    if _extension is None:
        return
    modules = sys.modules
    for name, module in _loaded.items():
        if name not in _NEEDED and modules.get(name) is module:
            _extension.keep(module)
            del modules[name]
