"""Runs a demonstration within this interpreter, as an embedding would, and says what it reached.

In the control this process holds a secret, read from standard input. Behind a fence the secret is
the supervisor's: here is only its digest, so that it is known when it is seen.
"""
import functools, gc, hashlib, json, os, sys

ID, CONTEXT, NAMES, DIGEST, SOURCE, CONTROL = json.loads(PARAMETERS)
# A demonstration may put others in their places.
_dumps, _write, _sha256, _id, _len, _type, _str, _exit = (
    json.dumps, os.write, hashlib.sha256, id, len, type, str, os._exit)
_referents = gc.get_referents

HOST_SECRET = sys.stdin.read() if CONTROL else None


def host():
    """What a host hands in: a function that closes over its table, an object, a partial."""
    table = {"1": "row", "owner": HOST_SECRET}

    def fetch_row(key, default=None, *, limit=1):
        return table.get(_str(key), default)

    return fetch_row


fetch_row = host()


class Api:
    """A host object."""

    def lookup(self, key):
        return fetch_row(key)


def holds_secret(leak):
    """Whether the secret is reached from `leak`, by references."""
    seen, queue = set(), [leak]
    while queue and _len(seen) < 400_000:
        one = queue.pop()
        if _id(one) in seen:
            continue
        seen.add(_id(one))
        if _type(one) is _str:
            if _len(one) == 64 and _sha256(one.encode("utf-8", "replace")).hexdigest() == DIGEST:
                return True
            continue
        queue.extend(_referents(one))
    return False


def main():
    import builtins
    scope = {"__name__": "specimen", "__builtins__": builtins}
    if CONTEXT == "helper":
        scope["fetch_row"] = fetch_row
    elif CONTEXT == "object":
        scope["api"] = Api()
        scope["part"] = functools.partial(fetch_row, "1")
    elif CONTEXT in ("builtins", "bare"):
        scope["fetch_row"] = fetch_row
    elif CONTEXT == "import":
        for name in NAMES:
            try:
                scope[name.split(".")[0]] = __import__(name)
            except ImportError:
                pass
    error = None
    try:
        # Bytes, so that what the file says of its encoding counts.
        exec(compile(SOURCE.encode("latin-1"), "specimen", "exec"), scope)
    except BaseException as e:
        error = _type(e).__name__
    leak = scope.get("leak")
    if CONTROL:
        reached = leak is not None
    else:
        reached = leak is not None and holds_secret(leak)
    line = _dumps({"id": ID, "verdict": "REACHED" if reached else "DENIED",
                   "detail": {"leak": _type(leak).__name__, "error": error}})
    _write(1, (line + "\n").encode())
    _exit(0)


main()
