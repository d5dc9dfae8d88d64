# The third: what a submission has got hold of, judged from outside by what the object is.

SECRET = re.compile("canary-[0-9a-f]{32}")
OBJECTS_MAX = 400_000

# What cannot be told from the object: the submission shows an effect that it had, by setting this
# once it had it. `None` has a check of the host's own in `effect`.
EFFECTS = {
    "escape/028": ("swallowed", "caught `BaseException`, as an in-process timeout raises it"),
    "escape/046": ("shadow accepted", "a parameter may take the name of the guard `_getattr_`"),
    "escape/047": ("walrus accepted", "an assignment expression may take the name of a guard"),
    "escape/052": ("poisoned", "changed `json.dumps` for everybody in the process"),
    "escape/114": ("conn-handle", "called the helper where no call of it is written"),
    "escape/115": ("conn-handle", "a plain loop ran; that it ends is the author's choice"),
}


def judge(task, identifier, error):
    """What the submission has: `(kind, sentence)`, or `None` for nothing."""
    leak = task.names.get("leak")
    return effect(task, identifier, leak, error) or what(leak)


def effect(task, identifier, leak, error):
    """Effects that the host sees for itself, then those that the submission shows."""
    if error is not None and from_submission(getattr(type(error), "__str__", None)):
        return "hook", "its exception's `__str__` runs where the error is told"
    if from_submission(getattr(type(leak), "__del__", None)):
        return "hook", "its `__del__` runs when the value is let go of"
    if isinstance(leak, dict) and type(leak) is not dict and not issubclass(type(leak), dict):
        return "hook", "a live object passes `isinstance(value, dict)`"
    if isinstance(leak, bytes) and calls_when_loaded(leak):
        return "hook", "a pickle that calls a function when it is loaded"
    if identifier == "escape/056":
        off = sys.gettrace() is None and signal.getitimer(signal.ITIMER_REAL)[0] == 0
        seen = ("effect", "switched off the trace function and the timer that watch it")
        return seen if off else None
    if identifier == "escape/058":
        constants = getattr(getattr(task, "ran", None), "co_consts", ())
        patched = any(c == b"BAAAAAAA-corpus-target" for c in constants)
        seen = ("effect", "wrote to an immutable object of the process's memory")
        return seen if patched else None
    if identifier in EFFECTS:
        shown, sentence = EFFECTS[identifier]
        return ("effect", sentence) if leak == shown else None
    return None


def from_submission(function):
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == "<submission>"


def calls_when_loaded(data):
    import pickletools

    try:
        return any(step.name == "REDUCE" for step, _, _ in pickletools.genops(data))
    except ValueError:
        return False


def what(leak):
    """What an object is to whoever should not have it."""
    if isinstance(leak, str) and SECRET.search(leak):
        return "secret", "the host's secret, as text"
    if isinstance(leak, types.ModuleType):
        return "module", f"the module `{leak.__name__}`"
    if isinstance(leak, dict):
        if leak is builtins.__dict__:
            return "builtins", "the real `builtins`, with `__import__` and `open`"
        if "__name__" in leak and "__builtins__" in leak and leak["__name__"] != "submission":
            return "namespace", f"the namespace of the module `{leak['__name__']}`, which embeds it"
        return None
    if isinstance(leak, type):
        return "class", f"the class `{leak.__qualname__}`"
    if isinstance(leak, types.CodeType):
        return "code", "a code object that reads past its own constants when it is called"
    if isinstance(leak, types.FrameType):
        return "frame", f"a frame of `{leak.f_code.co_filename}`"
    if isinstance(leak, types.BuiltinFunctionType):
        return "function", f"the function `{leak.__name__}`"
    if type(leak).__module__ == "ctypes":
        return "library", "the C library of this process, which makes any system call"
    if isinstance(leak, (list, tuple)):
        return several(leak)
    return None


def several(leak):
    if any(isinstance(item, str) and SECRET.search(item) for item in leak):
        return "secret", "the host's secret, from the helper's closure"
    if any(type(item) is dict and "HOST_SECRET" in item for item in leak):
        return "namespace", "every dictionary of the process that has a `HOST_SECRET`"
    if leak and all(isinstance(item, type) for item in leak):
        return "classes", f"{len(leak)} classes, and below them every other that is loaded"
    return None


def distance(leak):
    """References from `leak` to the host's secret, and how many objects were looked at."""
    seen, layer, steps = {id(leak)}, [leak], 0
    while layer and len(seen) < OBJECTS_MAX:
        found = []
        for item in layer:
            if isinstance(item, str) and SECRET.search(item):
                return steps, len(seen)
            try:
                near = gc.get_referents(item)
                if isinstance(item, type):
                    near += type.__subclasses__(item)
            except Exception:
                # A class of the submission's may refuse; the search goes on around it.
                continue
            for other in near:
                if id(other) not in seen:
                    seen.add(id(other))
                    found.append(other)
        layer, steps = found, steps + 1
    return None, len(seen)
