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

_PROGRAM = "/work/job.py"
_TOUCHING = """
import os, sys
class Touch:
    def method(self): return [str(n) for n in range(20)]
def function(*args, **kwargs):
    return {key: len(key) for key in Touch().method()}
with open(os.devnull, "w") as out: out.write(str(function()))
"""

# The same for what a template has loaded: little of it, but of each kind.
_TYPICAL = {
    "numpy": """
import numpy as np
array = np.arange(12.0).reshape(3, 4)
float((array * 2).sum(axis=0).mean()), array.tolist()
""",
    "pandas": """
import pandas as pd
frame = pd.DataFrame({"key": ["a", "b", "a"], "value": [1.0, 2.0, 3.5], "count": [1, 2, 3]})
frame["more"] = frame["value"] * 2
frame.groupby("key")["value"].sum().to_dict()
""",
}

_loaded = {}
_extension = None
# The program's own, whatever it puts in its place.
_main = sys.modules["__main__"]


def install():
    """Called while `stockade.pth` is read, whose file is still open."""
    atexit.register(_shed)
    sys.meta_path.insert(0, _Finder)


class _Finder:
    """Finds `sitecustomize`, which is empty, so that nobody looks for another; parks on loading."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "sitecustomize":
            sys.meta_path.remove(cls)
            return type(sys.__spec__)(name, cls)
        return None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        _park()
        module.__loader__ = module.__spec__ = None


def _park():
    global _extension
    socket = int(os.environ.pop("STOCKADE_ZYGOTE"))
    extension = os.environ.pop("STOCKADE_ZYGOTE_EXTENSION")
    preload = os.environ.pop("STOCKADE_PRELOAD").split()
    _extension = _load(extension)
    _extension.align(0)
    for name in preload:
        try:
            __import__(name)
        except BaseException as error:
            message = f"cannot load `{name}`: {type(error).__name__}: {error}\n"
            os.write(2, message.encode("utf-8", "backslashreplace"))
            os._exit(3)
    # What is loaded or made at the first use only is then there for all copies.
    _rehearse({"__name__": "touch", "__builtins__": __builtins__}, _TYPICAL)
    sys.stdout.flush()
    sys.stderr.flush()
    _loaded.update(sys.modules)
    gc.collect()
    gc.freeze()
    _extension.watch_exit(0)
    _extension.serve(socket)
    if os.getpid() != 2:
        # `stockade.pth` has told the hook for exceptions so.
        os.write(2, b"the program is not process 2\n")
        os._exit(123)
    _diverge()
    _touch()
    _begin(_extension.begin(0))


def _load(path):
    from importlib.machinery import ExtensionFileLoader, ModuleSpec

    loader = ExtensionFileLoader("_stockade_zygote", path)
    module = loader.create_module(ModuleSpec("_stockade_zygote", loader, origin=path))
    loader.exec_module(module)
    return module


def _begin(words):
    """The first thing that happens in a program. What is not said is as the zygote was told."""
    # What comes of looking for an importer of the program, which is neither a directory nor an
    # archive.
    sys.path_importer_cache[_PROGRAM] = None
    words = words.split(b"\0")
    arguments = int(words[0])
    if arguments:
        argv = [os.fsdecode(word) for word in words[1 : 1 + arguments]]
        sys.orig_argv[:] = argv
        # `-I` and what comes before it are the interpreter's.
        sys.argv[:] = argv[2:]
    for word in words[1 + arguments : -1]:
        name, _, value = os.fsdecode(word).partition("=")
        os.environ[name] = value


def _rehearse(space, names):
    for name, typical in _TYPICAL.items():
        if name in names and name in sys.modules:
            try:
                exec(compile(typical, "/work/job.py", "exec", dont_inherit=True), space)
            except Exception:
                # Another library of that name, or a version to come: its pages come later.
                pass


def _touch():
    """Does once what every program does, so that the pages of memory that it writes to are the
    copy's own before there is a program. What cannot be done here is of no matter."""
    space = {"__name__": "touch", "__builtins__": __builtins__}
    exec(compile(_TOUCHING, "/work/job.py", "exec", dont_inherit=True), space)
    # The last of them uses the others.
    _rehearse(space, [name for name in _TYPICAL if name in sys.modules][-1:])
    _begin(b"0\0")
    _extension.exit_code(0)
    sys.meta_path[-1].find_spec("touch", [])
    _take_apart({"__main__": type(sys)("touch")})


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
    if "multiprocessing.process" in modules:
        # The key by which its processes know each other.
        modules["multiprocessing.process"].current_process().authkey = os.urandom(32)
    if "uuid" in modules:
        # The C library's has drawn its node and sequence once for all copies, if it was asked.
        modules["uuid"]._generate_time_safe = None
        modules["uuid"]._node = modules["uuid"]._random_getnode()
        modules["uuid"]._last_timestamp = None


def _shed():
    """The first that was registered, so the last that is called: the program is over, its threads
    and its own handlers too. What the program has loaded and made is taken apart as the interpreter
    would; what the zygote had loaded is not: that would touch, and so copy, all of its memory.

    Where the exit code is not known for sure the interpreter ends in its own way, but for the
    modules that the zygote had loaded.
    """
    if _extension is None or sys._getframe().f_back is not None:
        # Or the program itself has called, and goes on.
        return
    code = _extension.exit_code(0)
    if code == -2 and _has_run_to_its_end():
        code = 0
    modules = sys.modules
    if code >= 0 and not hasattr(sys, "last_value") and _take_apart(modules):
        os._exit(code)
    for name, module in _loaded.items():
        if name not in _NEEDED and modules.get(name) is module:
            _extension.keep(module)
            del modules[name]


def _has_run_to_its_end():
    """Then, and not at an exit, the interpreter has taken these away. Up to Python 3.11 it asks no
    exception for its code where `sys.exit` was called: there is none yet, only the code."""
    names = vars(_main)
    return not ("__file__" in names or "__cached__" in names or hasattr(sys, "last_value"))


def _take_apart(modules):
    """Whether all output is out, too."""
    # What was loaded last is last; to look at all would touch them.
    mine = []
    for name in reversed(modules):
        if name in _loaded:
            break
        mine.append(modules[name])
    mine.append(modules.get("__main__"))
    for module in mine:
        space = getattr(module, "__dict__", None)
        if type(space) is not dict:
            continue
        # As the interpreter does: private names first.
        for private in (True, False):
            for key in list(space):
                if type(key) is str and key != "__builtins__" and private is (
                    key[:1] == "_" and key[1:2] != "_"
                ):
                    space[key] = None
    del mine, module, space
    # As long as no collection has happened all that is new is in the youngest generation.
    gc.collect(2 if any(gc.get_count()[1:]) else 0)
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
    except BaseException:
        return False
    return True
