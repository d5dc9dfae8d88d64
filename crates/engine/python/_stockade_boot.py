"""Reports the exception that ends a run. Loaded when there is one: `stockade.pth`, which runs in
every Python of the guest before its program, only leaves the hook that loads this, because an
import there would cost each start a quarter of a millisecond.

The report is a claim: whoever reads it must compare its `pid` with the process that it started,
and trust the wait status over it.
"""
import os
import sys

# The run's own process, which alone reports, and where.
_pid = 0
_report_path = "/run/stockade/raised.json"

_HARNESS = ("_stockade_boot.py", "_stockade_call.py", "stockade_guest.py")
_LIBRARY = os.path.dirname(os.__file__) + "/"
_MESSAGE_BYTES_MAX = 4 << 10
_TRACEBACK_BYTES_MAX = 16 << 10
_CHAIN_MAX = 64
_CONTROLS = dict.fromkeys(set(range(32)) - {9, 10, 13}, "\ufffd")
_HERE = os.path.dirname(__file__)
_reported = False


def _is_harness(frame):
    folder, _, name = frame.tb_frame.f_code.co_filename.rpartition("/")
    return name in _HARNESS and folder == _HERE


def _is_library(frame):
    return frame.tb_frame.f_code.co_filename.startswith((_LIBRARY, "<frozen "))


def _trimmed(trace):
    """The same traceback without the frames that are ours, and what ours called to get there."""
    if trace is not None and _is_harness(trace):
        user = trace
        while user is not None and (_is_harness(user) or _is_library(user)):
            user = user.tb_next
        if user is not None:
            trace = user
    kept = []
    while trace is not None:
        if not _is_harness(trace):
            kept.append(trace)
        trace = trace.tb_next
    for frame, following in zip(kept, kept[1:] + [None]):
        # Each assignment walks the rest to look for a loop: after a million recursions that would
        # take minutes.
        if frame.tb_next is not following:
            frame.tb_next = following
    return kept[0] if kept else None


def _trim_chain(value):
    seen = []
    waiting = [value]
    while waiting and len(seen) < _CHAIN_MAX:
        value = waiting.pop()
        if value is None or any(value is other for other in seen):
            continue
        seen.append(value)
        # An attribute of the same name in a subclass must not be asked.
        BaseException.with_traceback(value, _trimmed(value.__traceback__))
        waiting += [value.__cause__, value.__context__]


def _plain(text):
    # JSON writes a control character as six: the claim as a whole must stay below 64 KiB.
    return text.translate(_CONTROLS).encode("utf-8", "backslashreplace")


def _bounded(text, size):
    data = _plain(text[:size])
    return data[:size].decode("utf-8", "ignore")


def _qualified(kind):
    module = type.__getattribute__(kind, "__module__")
    name = type.__getattribute__(kind, "__qualname__")
    plain = type(module) is not str or module in ("builtins", "__main__")
    return _bounded(name if plain else module + "." + name, 256)


def _text(value):
    try:
        return _bounded(str.__str__(str(value)), _MESSAGE_BYTES_MAX)
    except BaseException:
        return "<the exception's own __str__ failed>"


def _traceback(kind, value, trace):
    import traceback

    try:
        # The last thousand, as Python itself prints.
        text = "".join(traceback.format_exception(kind, value, trace, limit=-1000))
    except BaseException:
        return ""
    data = _plain(text)
    if len(data) > _TRACEBACK_BYTES_MAX:
        # The end names the place and the message; the beginning, how the program got there.
        quarter = _TRACEBACK_BYTES_MAX // 4
        data = data[:quarter] + b"\n[...]\n" + data[8 - 3 * quarter :]
    return data.decode("utf-8", "ignore")


def _report(kind, value, trace):
    """Leaves the claim. Never raises: the program's own end must not change because of it."""
    global _reported
    if _pid == 0 or os.getpid() != _pid:
        return
    try:
        import json

        claim = {
            "pid": _pid,
            "type": _qualified(kind),
            "message": _text(value),
            "traceback": _traceback(kind, value, trace),
        }
        data = json.dumps(claim, ensure_ascii=False).encode()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(_report_path, flags, 0o600)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
        _reported = True
    except BaseException:
        pass


def hook(pid, kind, value, trace):
    """What `sys.excepthook` calls; `pid` is 0 in a process that does not report."""
    global _pid
    _pid = pid
    try:
        _trim_chain(value)
        trace = value.__traceback__
    except BaseException:
        pass
    try:
        sys.__excepthook__(kind, value, trace)
    finally:
        _report(kind, value, trace)


def at_exit(pid):
    """Called where the program put its own hook in place of ours; the interpreter remembers what
    it called that with."""
    global _pid
    _pid = pid
    value = getattr(sys, "last_value", None)
    if not _reported and isinstance(value, BaseException):
        _report(type(value), value, value.__traceback__)


def install():
    """Does what `stockade.pth` does, in an interpreter that has not read it, and reports to the
    path in `STOCKADE_RAISED`, which the program's children do not inherit."""
    global _report_path
    import atexit

    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)
    _report_path = os.environ.pop("STOCKADE_RAISED", _report_path)
    pid = os.getpid()
    ours = sys.excepthook = lambda *ended: hook(pid, *ended)
    atexit.register(lambda: sys.excepthook is ours or at_exit(pid))
