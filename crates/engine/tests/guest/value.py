"""Every rule of `docs/values.md`, tried. Usage: `python3 -I value.py MODULES SCRATCH`."""
import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import multiprocessing
import os
import pathlib
import sys
import threading
import types
import uuid

MODULES, SCRATCH = sys.argv[1:]
RESULT = os.path.join(SCRATCH, "out.json")
sys.argv[:] = ["job.py", RESULT]
sys.path.append(MODULES)
import stockade_guest as g

failures = []
done = collections.Counter()


def emitted(value, **options):
    if os.path.exists(RESULT):
        os.unlink(RESULT)
    g.emit(value, **options)
    with open(RESULT, encoding="utf-8") as file:
        return file.read()


def gives(value, text):
    done["rules"] += 1
    try:
        got = emitted(value)
        json.loads(got, parse_constant=lambda name: 1 / 0, parse_int=str)
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    if got != text:
        failures.append(f"{value!r:.80} gave {got:.200}, not {text:.200}")


def refuses(value, kind, *parts):
    done["refusals"] += 1
    try:
        got = "gave " + emitted(value)
    except (TypeError, ValueError, RuntimeError) as error:
        got = f"{type(error).__name__}: {error}"
        if type(error) is kind and all(part in got for part in parts):
            if os.path.exists(RESULT):
                failures.append(f"{got} left a result behind")
            return
    failures.append(f"{value!r:.80} {got:.200}, not {kind.__name__} with {parts}")


def check(statement, holds):
    done["statements"] += 1
    if not holds:
        failures.append(statement)


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class Level(enum.IntEnum):
    LOW = 1


class Word(str, enum.Enum):
    A = "a"


@dataclasses.dataclass
class Row:
    name: str
    when: object


class Foo:
    pass


class Text(str):
    def __str__(self):
        return "not the text"


Point = collections.namedtuple("Point", "x y")


def plain_values():
    gives(None, "null")
    gives([True, False], "[true,false]")
    gives(-7, "-7")
    gives(9007199254740993, "9007199254740993")
    gives(2**70, "1180591620717411303424")
    gives(10**5000, "1" + "0" * 5000)
    gives(-(10**20000) - 7, "-1" + "0" * 19999 + "7")
    gives(1.5, "1.5")
    gives(0.1, "0.1")
    gives(-0.0, "-0.0")
    gives(1e300, "1e+300")
    gives("é日😀\x00\"\\\n", '"é日😀\\u0000\\"\\\\\\n"')
    gives(Text("kept"), '"kept"')
    gives([], "[]")
    gives({}, "{}")
    gives({"a": [1, {"b": ()}]}, '{"a":[1,{"b":[]}]}')
    gives((1, (2,)), "[1,[2]]")
    gives(Point(1, 2), "[1,2]")
    gives(range(3), "[0,1,2]")
    gives({"b": 1, "a": 2}.keys(), '["b","a"]')
    gives({"b": 1}.values(), "[1]")
    gives(collections.deque([1, 2]), "[1,2]")
    gives(collections.OrderedDict(z=1, a=2), '{"z":1,"a":2}')
    gives(types.MappingProxyType({"a": 1}), '{"a":1}')
    gives(collections.ChainMap({"a": 1}), '{"a":1}')
    gives(array.array("d", [0.5]), "[0.5]")
    same = [1]
    gives([same, same], "[[1],[1]]")


def library_values():
    gives({3, 1, 2}, "[1,2,3]")
    gives(frozenset({"b", "a"}), '["a","b"]')
    gives(set(), "[]")
    gives(b"\x00\xff", '"AP8="')
    gives(bytearray(b"a"), '"YQ=="')
    gives(memoryview(b"ab")[::-1], '"YmE="')
    gives(decimal.Decimal("1.10"), "1.10")
    gives(decimal.Decimal("0.1000000000000000055511151231257827"),
          "0.1000000000000000055511151231257827")
    gives(decimal.Decimal("1E+3"), "1E+3")
    gives(datetime.datetime(2024, 1, 2, 3, 4, 5), '"2024-01-02T03:04:05"')
    zone = datetime.timezone(datetime.timedelta(hours=2))
    gives(datetime.datetime(2024, 1, 2, 3, 4, 5, 6, zone), '"2024-01-02T03:04:05.000006+02:00"')
    gives(datetime.date(2024, 1, 2), '"2024-01-02"')
    gives(datetime.time(1, 2), '"01:02:00"')
    gives(datetime.timedelta(days=1, microseconds=1), "86400.000001")
    gives(datetime.timedelta(milliseconds=-1500), "-1.5")
    gives(datetime.timedelta.max, "86399999999999.999999")
    gives(datetime.timedelta(0), "0")
    gives(uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"')
    gives(pathlib.PurePosixPath("/a/é"), '"/a/é"')
    gives([Colour.RED, Colour.PAIR, Level.LOW, Word.A], '["red",[1,2],1,"a"]')
    gives({Word.A: 1, Colour.RED: 2, Text("k"): 3}, '{"a":1,"red":2,"k":3}')
    gives(Row("a", datetime.date(2024, 1, 2)), '{"name":"a","when":"2024-01-02"}')


def refused_values():
    nan, inf = float("nan"), float("inf")
    refuses({"mean": nan}, ValueError, "$.mean: NaN is not JSON")
    refuses([inf], ValueError, "$[0]: Infinity is not JSON")
    refuses([-inf], ValueError, "$[0]: -Infinity is not JSON")
    refuses(decimal.Decimal("NaN123"), ValueError, "$: NaN is not JSON")
    refuses(decimal.Decimal("sNaN"), ValueError, "$: NaN is not JSON")
    refuses(decimal.Decimal("-Inf"), ValueError, "$: -Infinity is not JSON")
    refuses({"a": "x\ud800"}, ValueError, "$.a: ", "U+D800 at 1")
    refuses({"a\udcff": 1}, ValueError, "lone surrogate (U+DCFF at 1)")
    refuses(pathlib.PurePosixPath("\udcff"), ValueError, "lone surrogate")
    refuses({"rows": [{}, {1: 2}]}, TypeError, "$.rows[1]: the key 1 is of type 'int'", "str(key)")
    refuses({None: 1}, TypeError, "the key None")
    refuses({True: 1}, TypeError, "the key True")
    refuses({Level.LOW: 1}, TypeError, "the key")
    refuses({"a": 1, Word.A: 2, Colour.RED: 3, "red": 4}, ValueError, "two keys", "'red'")
    refuses({1, "a"}, TypeError, "no order")
    refuses({frozenset()}, TypeError, "no order")
    refuses(fractions.Fraction(1, 3), TypeError, "no rule", "value.numerator")
    refuses(1j, TypeError, "$: no rule for type 'complex'")
    row = Row("a", Foo())
    refuses({"rows": [1, row]}, TypeError, "$.rows[1].when: no rule for type 'Foo'; ")
    refuses(Foo, TypeError, "no rule for type 'type'")
    refuses((i for i in "ab"), TypeError, "no rule for type 'generator'; emit `list(...)`")
    refuses({"a b": {"x" * 99: 1j}}, TypeError, "$['a b']['" + "x" * 40 + "...']: ")
    loop = {"a": []}
    loop["a"].append(loop)
    refuses(loop, ValueError, "$.a[0]: a 'dict' contains itself")
    row = Row("a", None)
    row.when = row
    refuses(row, ValueError, "nested deeper than 64")
    deep = []
    for _ in range(63):
        deep = [deep]
    gives(deep, "[" * 64 + "]" * 64)
    refuses([deep], ValueError, "$" + "[0]" * 5, "nested deeper than 64")
    os.environ["STOCKADE_RESULT_DEPTH"] = "65"
    gives([deep], "[" * 65 + "]" * 65)
    del os.environ["STOCKADE_RESULT_DEPTH"]


def emit_elsewhere(value):
    g.emit(value)


def ways_to_emit():
    emitted(1)
    try:
        g.emit(2)
        check("a second emit is refused", False)
    except RuntimeError as error:
        check("the refusal names the remedy", "replace=True" in str(error))
    g.emit(3, replace=True)
    check("replace replaces", open(RESULT).read() == "3")
    check("nothing but the result is left", sorted(os.listdir(SCRATCH)) == ["out.json"])
    for start in (lambda: threading.Thread(target=g.emit, args=(4,)),
                  lambda: multiprocessing.get_context("fork").Process(target=g.emit, args=(4,))):
        os.unlink(RESULT)
        here = os.getcwd()
        os.chdir("/")
        worker = start()
        worker.start()
        worker.join()
        os.chdir(here)
        check(f"{worker} emits", g.has_emitted() and open(RESULT).read() == "4")


def input_values():
    check("there is no input", not g.has_input())
    try:
        g.input()
        check("no input is an error", False)
    except FileNotFoundError as error:
        check("the error says how to give one", "--input" in str(error))
    place = os.path.join(SCRATCH, "input.json")
    big = 10**9999 + 7
    digits = "1" + "0" * 9998 + "7"
    with open(place, "w", encoding="utf-8") as file:
        file.write('{"id": 9007199254740993, "é": [1.5, -%s]}' % digits)
    check("integers are read exactly", g.input() == {"id": 9007199254740993, "é": [1.5, -big]})
    with open(place, "w", encoding="utf-8") as file:
        file.write("[NaN]")
    try:
        g.input()
        check("NaN is not read", False)
    except ValueError as error:
        check("the error names NaN", "NaN" in str(error))
    os.unlink(place)


def numpy_values(np):
    gives({"i": np.int64(3), "f": np.float32(0.5), "b": np.bool_(True), "a": np.arange(3)},
          '{"i":3,"f":0.5,"b":true,"a":[0,1,2]}')
    gives(np.float32(0.1), "0.1")
    gives(np.array([0.1], "f4"), "[0.1]")
    gives(np.float64(0.1), "0.1")
    gives(np.float16(0.1), "0.1")
    gives(np.longdouble(1) / 4, "0.25")
    gives(np.uint64(2**64 - 1), "18446744073709551615")
    gives(np.array(5), "5")
    gives(np.zeros((2, 0)), "[[],[]]")
    gives(np.arange(4).reshape(2, 2), "[[0,1],[2,3]]")
    gives(np.matrix([[1, 2]]), "[[1,2]]")
    gives(np.array(["a", "b"]), '["a","b"]')
    gives(np.bytes_(b"a"), '"YQ=="')
    gives(np.datetime64("2024-01-02"), '"2024-01-02"')
    gives(np.array(["2024-01-02T03"], "M8[s]"), '["2024-01-02T03:00:00"]')
    gives(np.timedelta64(1500, "ms"), "1.5")
    gives(np.timedelta64(2, "D"), "172800")
    gives(np.array([(1, 0.5)], [("a", "i4"), ("b", "f4")]), '[{"a":1,"b":0.5}]')
    gives(np.array([None, "x", 2**70], object), '[null,"x",1180591620717411303424]')
    gives(np.ma.array([1, 2]), "[1,2]")
    refuses({"a": np.ma.array([1, 2], mask=[0, 1])}, ValueError, "$.a: masked")
    refuses({"m": np.float32("nan")}, ValueError, "$.m: NaN")
    refuses({"m": np.array([1, np.nan])}, ValueError, "$.m[1]: NaN")
    refuses({"m": np.array([[1, np.inf]], "f4")}, ValueError, "$.m[0][1]: Infinity")
    refuses({"t": np.datetime64("NaT")}, ValueError, "$.t: NaT")
    refuses(np.timedelta64(1, "Y"), ValueError, "units of 'Y'")
    refuses(np.complex64(1), TypeError, "no rule for type 'numpy.complex64'")
    refuses({np.int64(1): 1}, TypeError, "numpy.int64")


def pandas_values(pd, np):
    gives({"t": pd.Timestamp("2024-01-01")}, '{"t":"2024-01-01T00:00:00"}')
    gives(pd.Timestamp("2024-01-01", tz="UTC"), '"2024-01-01T00:00:00+00:00"')
    gives(pd.Timedelta("1.5s"), "1.5")
    gives(pd.Timedelta(1, "ns"), "0.000000001")
    gives(pd.Period("2024-01", "M"), '"2024-01"')
    gives(pd.Series([1, 2]), "[1,2]")
    gives(pd.Series([0.1], dtype="f4"), "[0.1]")
    gives(pd.Series([1, 2], dtype="Int64"), "[1,2]")
    gives(pd.Series(pd.to_datetime(["2024-01-01"])), '["2024-01-01T00:00:00"]')
    gives(pd.Index(["a"]), '["a"]')
    gives(pd.Categorical(["a", "b", "a"]), '["a","b","a"]')
    gives(pd.DataFrame({"n": [1, 2], "s": ["x", "y"]}), '[{"n":1,"s":"x"},{"n":2,"s":"y"}]')
    gives(pd.DataFrame({"a": []}), "[]")
    frame = pd.DataFrame({"price": [1.5, np.nan]})
    refuses({"rows": frame}, ValueError, "$.rows[1].price: NaN")
    refuses({"t": pd.NaT}, ValueError, "$.t: NaT")
    refuses({"t": pd.NA}, ValueError, "$.t: <NA>")
    refuses(pd.Series([1, None], dtype="Int64"), ValueError, "$[1]: <NA>")
    refuses(pd.DataFrame({1: [1]}), TypeError, "the key 1")
    refuses(pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "two columns")
    refuses({"i": pd.Interval(0, 1)}, TypeError, "$.i: no rule for type 'pandas.")


if __name__ == "__main__":
    plain_values()
    library_values()
    refused_values()
    ways_to_emit()
    input_values()
    try:
        import numpy
    except ImportError:
        print("skipped: numpy rules, for this interpreter has no numpy")
    else:
        numpy_values(numpy)
        try:
            import pandas
        except ImportError:
            print("skipped: pandas rules, for this interpreter has no pandas")
        else:
            pandas_values(pandas, numpy)
    print(sys.version.split()[0], dict(done), "failures:", len(failures))
    for failure in failures:
        print("failed:", failure)
    sys.exit(bool(failures))
