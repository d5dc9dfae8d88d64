"""Runs the `job.py` beside the result as the real `__main__`, calls one function of it with the
input, and emits what that returns.

Usage: `python3 -I <this file> RESULT NAME`
"""
import os
import sys


def run(result, name):
    """Called from a module and not from the script: the script's globals become the job's."""
    job = os.path.join(os.path.dirname(result), "job.py")
    main = _become(job, result)
    with open(job, "rb") as source:
        code = compile(source.read(), job, "exec", dont_inherit=True)
    exec(code, main)
    if name is None:
        return

    import stockade_guest

    function = _function(job, main, name)
    value = function(*_argument(function, name))
    if type(value).__name__ == "coroutine":
        import asyncio

        value = asyncio.run(value)
    if value is None and stockade_guest.has_emitted():
        return
    stockade_guest.emit(value)


def _become(job, result):
    from importlib.machinery import SourceFileLoader

    sys.argv[:] = [job, result]
    main = sys.modules["__main__"].__dict__
    builtins = main["__builtins__"]
    main.clear()
    main.update(
        __name__="__main__",
        __doc__=None,
        __package__=None,
        __loader__=SourceFileLoader("__main__", job),
        __spec__=None,
        __builtins__=builtins,
        __file__=job,
        __cached__=None,
    )
    return main


def _function(job, main, name):
    from stockade_guest import CallError

    if name not in main:
        found = [
            key
            for key, value in main.items()
            if key[:1] != "_" and type(value).__name__ == "function"
        ]
        have = ", ".join(f"`{key}`" for key in found[:8]) or "no function"
        raise CallError(f"`{job}` does not define `{name}`; it defines {have}")
    if not callable(main[name]):
        kind = type(main[name]).__name__
        raise CallError(f"`{name}` in `{job}` is not a function but of type '{kind}'")
    return main[name]


def _argument(function, name):
    """The input, or `None` where the run was given none."""
    import stockade_guest

    code = getattr(function, "__code__", None)
    # 0x04 is CO_VARARGS: `inspect` would say it better and takes 5 ms to import.
    if code is not None and type(function).__name__ == "function":
        if code.co_argcount == 0 and not code.co_flags & 0x04:
            raise stockade_guest.CallError(
                f"`{name}` takes no argument but is called with the input; "
                f"define it as `{name}(input)`"
            )
    return (stockade_guest.input() if stockade_guest.has_input() else None,)


if __name__ == "__main__":
    _site = os.path.dirname(os.path.abspath(__file__))
    if _site not in sys.path:
        # An interpreter outside of the template: its own start did not do this.
        sys.path += [_site, os.path.dirname(sys.argv[1])]
        import _stockade_boot

        _stockade_boot.install()
    import _stockade_call

    _stockade_call.run(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
