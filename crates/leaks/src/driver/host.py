# The driver of `stockade leaks`: four files, run as one program. This is the first: the application
# that embeds the submissions of others, with a secret and with things that it hands in.
import builtins
import functools
import gc
import io
import json
import os
import re
import signal
import sys
import types

HOST = '''
import functools

def _helper():
    handle = globals().get("HOST_SECRET")
    def fetch_row(number, prefix="row"):
        calls.append(number)
        return (f"{prefix} {number}", "conn-handle")
    def keeps(number, prefix="row"):
        return (handle, fetch_row(number, prefix))[1]
    return keeps

class Api:
    """What the host offers to submissions."""
    def lookup(self, key):
        return {"key": key}

def total(rate, amount):
    return rate * amount

calls = []
fetch_row = _helper()
api = Api()
part = functools.partial(total, 2)
'''


def host_module(secret):
    """The module of the application, imported like any other. In a guest it has no secret: what
    needs one stays outside."""
    module = types.ModuleType("host_app")
    if secret is not None:
        module.HOST_SECRET = secret
    exec(compile(HOST, "host_app.py", "exec"), module.__dict__)
    sys.modules["host_app"] = module
    return module


def handed_in(host, context):
    """The objects that a technique finds, by the words of its header."""
    if context == "helper":
        return {"fetch_row": host.fetch_row}
    if context == "object:api":
        return {"api": host.api}
    if context == "object:part":
        return {"part": host.part}
    return {}


def named_builtins(context):
    """The builtins that the embedding gives, where it gives only some."""
    if not context.startswith("builtins:"):
        return {}
    names = context.removeprefix("builtins:").split(",")
    return {name.strip(): getattr(builtins, name.strip()) for name in names}


# What people let through. Nothing on it opens a file, starts a program or loads a library.
IMPORTS = (
    "math json re random string operator itertools functools collections datetime decimal "
    "statistics numpy"
).split()


def guarded_import(name, globals=None, locals=None, fromlist=(), level=0):
    """The import allowlist of the sandboxes that have one."""
    if level or name.partition(".")[0] not in IMPORTS:
        raise ImportError(f"the allowlist does not have `{name}`")
    return __import__(name, globals, locals, fromlist, level)
