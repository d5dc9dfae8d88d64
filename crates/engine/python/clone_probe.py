"""What this copy of an interpreter draws and holds that another one must not: by name, as a text
that says nothing but whether it is the same."""
import hashlib
import os
import random
import re
import sys
import tempfile
import uuid

from stockade_guest import emit

try:
    import ssl
except ImportError:
    # There are interpreters without it.
    ssl = None

_LOOKED_AT_MAX = 400_000
_DEPTH_MAX = 5
# What a generator of tokens makes: hexadecimal digits, or letters and digits of all kinds.
_TOKEN = re.compile(
    r"[0-9a-fA-F-]{16,128}|(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_=+/-]{20,256}"
)


def _mark(value):
    return hashlib.sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _numpy():
    return sys.modules.get("numpy.random")


def _drawn():
    drawn = {
        "os.urandom": os.urandom(16),
        "random.random": random.random(),
        "random.getrandbits": random.getrandbits(128),
        "random.Random": random.Random().random(),
        "uuid.uuid1": uuid.uuid1().fields[3:],
        "uuid.getnode": uuid.getnode(),
        "uuid.uuid4": uuid.uuid4(),
        "tempfile.mktemp": tempfile.mktemp(),
    }
    if ssl is not None:
        drawn["ssl.RAND_bytes"] = ssl.RAND_bytes(16)
    numpy = _numpy()
    if numpy is not None:
        drawn["numpy.random.random"] = numpy.random(4).tolist()
        drawn["numpy.random.default_rng"] = numpy.default_rng().random(4).tolist()
        drawn["numpy.random.RandomState"] = numpy.RandomState().random_sample(4).tolist()
    return drawn


def _state(value):
    """The state of a generator, what looks as if it had been drawn, or `None`."""
    numpy = _numpy()
    if isinstance(value, random.SystemRandom):
        return None
    if isinstance(value, random.Random):
        return value.getstate()
    if numpy is not None:
        if isinstance(value, numpy.RandomState):
            return [str(part) for part in value.get_state(legacy=True)[1:3]], bytes(
                value.get_state(legacy=True)[1]
            )
        if isinstance(value, numpy.Generator):
            return str(value.bit_generator.state)
        if isinstance(value, numpy.BitGenerator):
            return str(value.state)
    if isinstance(value, uuid.UUID):
        return value.int
    if isinstance(value, (bytes, bytearray)):
        return bytes(value) if 8 <= len(value) <= 4096 else None
    if isinstance(value, str):
        return str(value) if _TOKEN.fullmatch(value) else None
    if type(value) is float:
        return value if 0 < value < 1 else None
    if type(value) is int:
        return value if value >= 1 << 64 else None
    return None


def _below(value, module):
    """What hangs on an object, by name."""
    if type(value) is dict:
        return [(f"[{key!r:.40}]", each) for key, each in list(value.items())]
    if type(value) in (list, tuple):
        return [(f"[{at}]", each) for at, each in enumerate(value)]
    if isinstance(value, type) and value.__module__ != module:
        return []
    space = getattr(value, "__dict__", None) if not isinstance(value, type(sys)) else None
    names = dict(space).items() if space else ()
    return [("." + name, each) for name, each in names if type(name) is str]


def _held():
    held, seen = {}, set()
    waiting = []
    for name in sorted(sys.modules):
        module = sys.modules[name]
        if name == "__main__" or not isinstance(module, type(sys)):
            continue
        for attribute, value in list(vars(module).items()):
            if attribute not in ("__builtins__", "__loader__", "__spec__"):
                waiting.append((f"{name}.{attribute}", value, name, 1))
    while waiting and len(seen) < _LOOKED_AT_MAX:
        path, value, module, depth = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        try:
            state = _state(value)
            if state is not None:
                held[path] = state
            elif depth < _DEPTH_MAX:
                for name, each in _below(value, module):
                    waiting.append((path + name, each, module, depth + 1))
        except Exception:
            # An object that cannot be looked at shows nothing.
            continue
    return held


_found = _held()
emit(
    {
        "held": {name: _mark(value) for name, value in _found.items()},
        "drawn": {name: _mark(value) for name, value in _drawn().items()},
    }
)
