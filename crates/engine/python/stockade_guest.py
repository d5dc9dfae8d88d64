"""What a submission uses to read its input and to give its value.

    import stockade_guest as g

    rows = g.input()
    g.emit({"rows": len(rows)})

The rules by which `emit` turns Python values into JSON are in `docs/values.md`.
"""
import os
import sys

__all__ = ["CallError", "emit", "has_emitted", "has_input", "input"]

_DEPTH_DEFAULT = 64
_KEY_CHARS_MAX = 40
_PATH_CHARS_MAX = 200


class CallError(Exception):
    """The function that the run was told to call is missing or cannot be called."""


def _result_path():
    """Where the value goes: `sys.argv[1]` of the run, also if the program changes it later."""
    given = sys.argv[1] if len(sys.argv) == 2 else ""
    if os.path.isabs(given) and os.path.basename(given) == "out.json":
        return given
    return "/work/out.json"


_RESULT = _result_path()
_INPUT = os.path.join(os.path.dirname(_RESULT), "input.json")


def has_input():
    """Whether the run was given an input."""
    return os.path.exists(_INPUT)


def has_emitted():
    """Whether a value was given already, by any process of this run."""
    return os.path.lexists(_RESULT)


def input():
    """The run's input: integers are exact, whatever their size."""
    import json

    try:
        with open(_INPUT, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"this run has no input: `{_INPUT}` does not exist; give one with `--input FILE`"
        ) from None
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # An integer of more digits than CPython reads at once.
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_integer)


def emit(value, *, replace=False):
    """Gives `value` as the result of the run.

    A run has one value: a second call raises `RuntimeError` unless `replace` is true. Raises
    `TypeError` for a value without a rule and `ValueError` for one that JSON cannot hold, each
    naming the path to it; nothing is written then.
    """
    data = _encoded(value)
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    if replace:
        partial = f"{_RESULT}.{os.getpid()}.{os.urandom(4).hex()}"
        _write(partial, flags | os.O_EXCL, data)
        os.replace(partial, _RESULT)
        return
    try:
        _write(_RESULT, flags | os.O_EXCL, data)
    except FileExistsError:
        raise RuntimeError(
            f"a run has one value and `{_RESULT}` already exists; "
            "call `emit(value, replace=True)` to give another instead"
        ) from None


def _write(path, flags, data):
    fd = os.open(path, flags, 0o600)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
    except BaseException:
        # Half a value must not be mistaken for one.
        os.unlink(path)
        raise
    finally:
        os.close(fd)


# CPython refuses to read or write integers of more than 4,300 digits at once, as a guard against
# denial of service. The run's own limits bound the work here, and the setting is the program's.
_DIGITS_AT_ONCE = 4000


def _integer(text):
    if len(text) <= _DIGITS_AT_ONCE:
        return int(text)
    if text[0] == "-":
        return -_integer(text[1:])
    low = len(text) // 2
    return _integer(text[:-low]) * 10**low + _integer(text[-low:])


def _digits(number):
    if number.bit_length() <= 3 * _DIGITS_AT_ONCE:
        return int.__repr__(number)
    if number < 0:
        return "-" + _digits(-number)
    # 0.30103 is the logarithm of 2 to base 10: about half of the digits.
    low = int(number.bit_length() * 0.30103) // 2
    high, rest = divmod(number, 10**low)
    return _digits(high) + _digits(rest).rjust(low, "0")


def _refuse_constant(name):
    raise ValueError(f"the input is not JSON: it holds {name}")


def _encoded(value):
    from json.encoder import encode_basestring

    depth = int(os.environ.get("STOCKADE_RESULT_DEPTH", _DEPTH_DEFAULT))
    writer = _Writer(encode_basestring, depth)
    writer.value(value, _Path(None, None))
    return "".join(writer.out).encode("utf-8")


class _Path:
    """How to get from the emitted value to a part of it: made into text only for an error."""

    __slots__ = ("key", "parent")

    def __init__(self, parent, key):
        self.parent = parent
        self.key = key

    def __str__(self):
        steps = []
        step = self
        while step.parent is not None:
            steps.append(_step(step.key))
            step = step.parent
        text = "$" + "".join(reversed(steps))
        if len(text) > _PATH_CHARS_MAX:
            text = text[: _PATH_CHARS_MAX // 2] + "..." + text[-_PATH_CHARS_MAX // 2 :]
        return text


def _step(key):
    if type(key) is int:
        return f"[{key}]"
    if key.isidentifier() and len(key) <= _KEY_CHARS_MAX:
        return "." + key.encode("ascii", "backslashreplace").decode()
    if len(key) > _KEY_CHARS_MAX:
        key = key[:_KEY_CHARS_MAX] + "..."
    return f"[{ascii(key)}]"


def _kind(value):
    """The name a person knows the type by."""
    kind = type(value)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _no_rule(path, value):
    hint = "convert it to a dict, a list, a str or a number first"
    for name in ("tolist", "to_dict", "to_list", "to_pylist", "_asdict", "model_dump"):
        if callable(getattr(type(value), name, None)):
            hint = f"emit the result of its `.{name}()`"
            break
    if hasattr(type(value), "__next__"):
        hint = "emit `list(...)` of it"
    return TypeError(f"{path}: no rule for type '{_kind(value)}'; {hint}")


def _refused(path, why):
    return ValueError(f"{path}: {why}")


def _key(key, path):
    """The text of a key. JSON has no other kind, and `1` and `"1"` must not become one key."""
    if _is_enum(key):
        key = key.value
    if isinstance(key, str):
        return str.__str__(key)
    raise TypeError(
        f"{path}: the key {ascii(key)[:_KEY_CHARS_MAX]} is of type '{_kind(key)}', and JSON keys "
        "are text; use `str(key)`"
    )


def _is_enum(value):
    enum = sys.modules.get("enum")
    return enum is not None and isinstance(value, enum.Enum)


class _Writer:
    """Writes one value as JSON text, in pieces."""

    def __init__(self, quote, depth_max):
        self.out = []
        self.quote = quote
        self.depth_max = depth_max
        self.open = set()
        self.plain = {
            str: self.text,
            int: self.integer,
            float: self.real,
            bool: self.constant,
            type(None): self.constant,
            dict: self.mapping,
            list: self.array,
            tuple: self.array,
        }

    def value(self, value, path):
        rule = self.plain.get(type(value))
        if rule is None:
            rule, value = self.rule(value, path)
        rule(value, path)

    def rule(self, value, path):
        """The rule for a value that is not of one of the plain types itself."""
        if _is_enum(value):
            return self.value, value.value
        for module, mark, find in _FAMILIES:
            module = sys.modules.get(module)
            # Where a module is not imported, no value can be of one of its types.
            if hasattr(module, mark):
                found = find(self, module, value, path)
                if found is not None:
                    return found
        raise _no_rule(path, value)

    def constant(self, value, _path):
        self.out.append("null" if value is None else "true" if value else "false")

    def integer(self, value, _path):
        self.out.append(_digits(value))

    def real(self, value, path):
        self.digits(float.__repr__(value), path)

    def digits(self, text, path):
        """A number as some library writes it: the digits stay as they are."""
        if text[-1:].isdigit() or text[-1:] == ".":
            self.out.append(text + "0" if text[-1] == "." else text)
            return
        if "nan" in text.lower():
            raise _refused(path, "NaN is not JSON; decide what a missing number is, such as `None`")
        name = "-Infinity" if text[0] == "-" else "Infinity"
        raise _refused(path, f"{name} is not JSON; decide what it stands for, such as `None`")

    def text(self, value, path):
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                raise _refused(
                    path,
                    f"the text holds a lone surrogate (U+{ord(value[error.start]):04X} at "
                    f"{error.start}), which is not Unicode; for bytes, emit the bytes",
                ) from None
        self.out.append(self.quote(value))

    def mapping(self, value, path):
        self.enter(value, path)
        seen = set()
        lead = "{"
        for key in value:
            name = _key(key, path)
            if name in seen:
                raise _refused(path, f"two keys are written as {ascii(name)[:_KEY_CHARS_MAX]}")
            seen.add(name)
            here = _Path(path, name)
            self.out.append(lead)
            self.text(name, here)
            self.out.append(":")
            self.value(value[key], here)
            lead = ","
        self.out.append("}" if seen else "{}")
        self.open.discard(id(value))

    def array(self, value, path):
        self.enter(value, path)
        lead = "["
        for place, item in enumerate(value):
            self.out.append(lead)
            self.value(item, _Path(path, place))
            lead = ","
        self.out.append("]" if lead == "," else "[]")
        self.open.discard(id(value))

    def enter(self, value, path):
        if id(value) in self.open:
            raise _refused(path, f"a '{_kind(value)}' contains itself")
        if len(self.open) >= self.depth_max:
            raise _refused(path, f"nested deeper than {self.depth_max}")
        self.open.add(id(value))

    def members(self, value, path):
        """A set, in the order of its members, so that the same set gives the same text."""
        try:
            # `<` between sets means subset, which orders nothing.
            if any(isinstance(item, (set, frozenset)) for item in value):
                raise TypeError
            ordered = sorted(value)
        except TypeError:
            raise TypeError(
                f"{path}: the members of this '{_kind(value)}' have no order, so it has no one "
                "JSON text; emit `sorted(value, key=...)`"
            ) from None
        self.array(ordered, path)


def _seconds(parts, digits):
    """Seconds as an exact number, from a count of units of 10 to the power of -`digits`."""
    whole, rest = divmod(abs(parts), 10**digits)
    fraction = f"{rest:0{digits}d}".rstrip("0") if rest else ""
    return ("-" if parts < 0 else "") + str(whole) + (f".{fraction}" if fraction else "")


def _pandas(writer, pandas, value, path):
    if value is getattr(pandas, "NA", None) or value is getattr(pandas, "NaT", None):
        raise _refused(path, f"{value} is not JSON; decide what a missing value is, such as `None`")
    if isinstance(value, pandas.Timestamp):
        return writer.text, value.isoformat()
    if isinstance(value, pandas.Timedelta):
        nanoseconds = value.as_unit("ns") if hasattr(value, "as_unit") else value
        return writer.digits, _seconds(nanoseconds.value, 9)
    if isinstance(value, pandas.Period):
        return writer.text, str(value)
    if isinstance(value, pandas.DataFrame):
        return writer.array, _rows(value, path)
    if isinstance(value, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return writer.array, _column(value)
    return None


def _column(series):
    """The values of a column, each of its own width."""
    kind = series.dtype.kind if type(series.dtype).__module__.startswith("numpy") else "O"
    if kind not in "biuf":
        return list(series)
    values = series.to_numpy()
    return values.tolist() if kind != "f" or values.itemsize == 8 else list(values)


def _rows(frame, path):
    names = []
    for name in frame.columns:
        names.append(_key(name, path))
    if len(set(names)) != len(names):
        raise _refused(path, "two columns have the same name")
    columns = [_column(frame.iloc[:, place]) for place in range(len(names))]
    return [dict(zip(names, row)) for row in zip(*columns)] if names else [{} for _ in frame.index]


def _numpy(writer, numpy, value, path):
    if isinstance(value, numpy.ndarray):
        return _numpy_array(writer, numpy, value, path)
    if not isinstance(value, numpy.generic):
        return None
    kind = value.dtype.kind
    if kind == "b":
        return writer.constant, bool(value)
    if kind in "iu":
        return writer.integer, int(value)
    if kind == "f":
        # As numpy writes it: the shortest text of that width, 0.1 for float32(0.1).
        return writer.digits, str(value)
    if kind == "U":
        return writer.text, str(value)
    if kind == "S":
        return _bytes(writer, bytes(value))
    if kind == "V" and value.dtype.names:
        return writer.mapping, {name: value[name] for name in value.dtype.names}
    if kind in "mM" and numpy.isnat(value):
        raise _refused(path, "NaT is not JSON; decide what a missing time is, such as `None`")
    if kind == "M":
        return writer.text, str(value)
    if kind == "m":
        return _numpy_seconds(writer, numpy, value, path)
    raise _no_rule(path, value)


_UNITS = {"W": (604800, 0), "D": (86400, 0), "h": (3600, 0), "m": (60, 0), "s": (1, 0)}
_UNITS.update(ms=(1, 3), us=(1, 6), ns=(1, 9), ps=(1, 12), fs=(1, 15))
_UNITS["as"] = (1, 18)


def _numpy_seconds(writer, numpy, value, path):
    unit, count = numpy.datetime_data(value.dtype)
    if unit not in _UNITS:
        raise _refused(path, f"a duration in units of '{unit}' is not a number of seconds")
    scale, digits = _UNITS[unit]
    parts = int(value.astype("int64")) * count * scale
    return writer.digits, _seconds(parts, digits)


def _numpy_array(writer, numpy, value, path):
    if isinstance(value, numpy.ma.MaskedArray):
        if numpy.ma.is_masked(value):
            raise _refused(path, "masked values are not JSON; use `.filled(...)`")
        value = value.data
    # Not `asanyarray`: a row of a `numpy.matrix` is a matrix again, without end.
    value = numpy.asarray(value)
    if value.ndim == 0:
        return writer.value, value[()]
    if value.dtype.kind in "biu" or value.dtype == numpy.float64:
        return writer.array, value.tolist()
    return writer.array, list(value)


def _bytes(writer, value):
    import binascii

    return writer.text, binascii.b2a_base64(value, newline=False).decode("ascii")


def _time(writer, datetime, value, _path):
    if isinstance(value, (datetime.date, datetime.time)):
        return writer.text, value.isoformat()
    if isinstance(value, datetime.timedelta):
        whole = value.days * 86400 + value.seconds
        return writer.digits, _seconds(whole * 10**6 + value.microseconds, 6)
    return None


def _decimal(writer, decimal, value, path):
    if not isinstance(value, decimal.Decimal):
        return None
    if not value.is_finite():
        # `NaN123` ends in a digit.
        return writer.digits, str(float("nan") if value.is_nan() else float(value))
    return writer.digits, str(decimal.Decimal(value))


def _fraction(_writer, fractions, value, path):
    if isinstance(value, fractions.Fraction):
        raise TypeError(
            f"{path}: no rule for type 'fractions.Fraction'; emit `float(value)`, or "
            "`[value.numerator, value.denominator]` to keep it exact"
        )
    return None


def _uuid(writer, uuid, value, _path):
    return (writer.text, str(value)) if isinstance(value, uuid.UUID) else None


def _file_path(writer, pathlib, value, _path):
    return (writer.text, str(value)) if isinstance(value, pathlib.PurePath) else None


def _dataclass(writer, dataclasses, value, _path):
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return None
    fields = dataclasses.fields(value)
    return writer.mapping, {field.name: getattr(value, field.name) for field in fields}


def _builtin(writer, _builtins, value, path):
    """Subclasses of the plain types, and the other containers of the language."""
    if isinstance(value, str):
        return writer.text, str.__str__(value)
    if isinstance(value, int):
        return writer.integer, value
    if isinstance(value, float):
        return writer.real, value
    if isinstance(value, (list, tuple, range, type({}.keys()), type({}.values()))):
        return writer.array, value
    if isinstance(value, (set, frozenset)):
        return writer.members, value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(writer, bytes(value))
    return None


def _collection(writer, collections, value, _path):
    if isinstance(value, collections.deque):
        return writer.array, value
    return None


def _mapping(writer, abc, value, _path):
    return (writer.mapping, value) if isinstance(value, abc.Mapping) else None


def _array(writer, array, value, _path):
    return (writer.array, value.tolist()) if isinstance(value, array.array) else None


# In this order: a pandas Timestamp is also a datetime, and numpy.float64 also a float. The name
# beside a module tells it from a half-imported one and from a file of the program's.
_FAMILIES = (
    ("pandas", "Timestamp", _pandas),
    ("numpy", "ndarray", _numpy),
    ("dataclasses", "is_dataclass", _dataclass),
    ("builtins", "str", _builtin),
    ("_collections_abc", "Mapping", _mapping),
    ("collections", "deque", _collection),
    ("decimal", "Decimal", _decimal),
    ("fractions", "Fraction", _fraction),
    ("datetime", "timedelta", _time),
    ("uuid", "UUID", _uuid),
    ("pathlib", "PurePath", _file_path),
    ("array", "array", _array),
)
