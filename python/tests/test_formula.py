"""Run by `cargo xtask python`: the binding, from Python."""

import datetime
import decimal
import doctest
import importlib.resources
import os
import pickle
import random as chance
import subprocess
import sys
import tempfile
import threading
import unittest

from stockade import formula


class Values(unittest.TestCase):
    def test_every_kind_comes_back_as_it_went_in(self):
        utc = datetime.timezone(datetime.timedelta(hours=2))
        for value in [
            None, True, False, 0, -(2**63), 1.5, "añ😀", [1, [2, "x"]], {"a": {"b": None}},
            decimal.Decimal("19.99"), decimal.Decimal("1E+3"), datetime.date(2024, 2, 29),
            datetime.datetime(2024, 2, 29, 12, 30, tzinfo=utc),
            datetime.timedelta(days=-1, microseconds=5),
        ]:
            back = formula.compile("x").eval({"x": value})
            self.assertEqual((back, type(back)), (value, type(value)))

    def test_what_is_no_value_is_refused(self):
        loop = []
        loop.append(loop)
        no_offset = datetime.datetime(2024, 1, 1)
        for value in [2**63, float("nan"), object(), {1: 2}, loop, b"x", {1, 2}, no_offset]:
            with self.assertRaises((ValueError, TypeError, OverflowError)):
                formula.compile("x").eval({"x": value})

    def test_a_record_takes_only_what_it_declares(self):
        rule = formula.compile("keys(r)", "r: {a: int, b: int?}")
        self.assertEqual(rule.eval({"r": {"z": object(), "a": 1}}), ["a", "b"])


class Subclass(dict):
    pass


def told(call):
    """What a call gave, or what it raised, to be compared."""
    try:
        value = call()
        return type(value), value
    except formula.FormulaError as error:
        return error.code, str(error), error.span, error.cost
    except (ValueError, TypeError, OverflowError) as error:
        return type(error), str(error)


class Reads(unittest.TestCase):
    """A dict of which scalars alone are read, and the same after all of it was converted."""

    SIGNATURE = ("o: {a: {n: int, s: str[8], f: float?, t: str}, x: float, l: list[int, 2],"
                 " when: date, b: bool, m: decimal?, at: datetime}, d: date, k: duration,"
                 " u: {z: any}, n: int, p: float, s: str[8], t: str?, w: any")
    SOURCES = ["o['a']['s'] == 'EU'", "o['a']['n'] * 2 + o['x'] > o['a']['n']",
               "o['a']['f'] + 1", "o['when'] - d > k", "0 < o['x'] <= o['a']['n'] and o['b']",
               "o['a']['t'] if o['b'] else o['a']['s']", "1 / o['a']['n']", "o['m'] == 1 or d < d",
               "o['a']['s'] in o['a']['t']", "len(o['a']['s']) > o['x']", "o['a'] == u or o['b']",
               "o['at']", "o['at'] < o['at'] or o['m'] != None", "u['z']", "o['a']['s'] + s + '!'"]
    # Their inputs are the scalars themselves; they are compiled without a signature too.
    FLAT = ["(p * n - 5.0) * (1.0 + p) / 2.0", "0.0 < p <= n < 100", "s + ' (' + w + ')'",
            "'big' if n > 10 else w if p > 1 else s", "d - d > k", "d - k", "n // 2 + n",
            "not t or s < w", "t == 'EU'", "t", "w", "p", "d", "k", "s + t", "n in w",
            "1 / n", "w + w"]
    ODD = [None, True, 0, -7, 2**63, 1.5, float("inf"), "", "long enough", "\ud800", "EU", [], [1],
           [1, 2, 3], {}, Subclass(s="EU"), {1: 2}, object(), decimal.Decimal("1"),
           decimal.Decimal("NaN"), datetime.date(1, 1, 1), datetime.date(9999, 12, 31),
           datetime.timedelta.max, datetime.timedelta(1)]

    AT = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc)

    def inputs(self, random):
        given = {"o": {"a": {"n": 3, "s": "EU", "f": 1.5, "t": "the EU"}, "x": 2.0, "l": [1],
                       "when": datetime.date(2024, 3, 31), "b": True, "m": None, "at": self.AT},
                 "d": datetime.date(2024, 1, 31), "k": datetime.timedelta(30), "u": {"z": 1},
                 "n": 12, "p": 0.5, "s": "EU", "t": None, "w": "of"}
        for _ in range(random.choice([0, 0, 1, 2])):
            place = random.choice([given, given["o"], given["o"], {}])
            place = random.choice([place, given["o"].get("a", {})])
            key = random.choice([*place, "more"])
            if not isinstance(place, dict) or key in ("o", "a") and random.random() < 0.8:
                continue
            if random.random() < 0.2:
                place.pop(key, None)
            else:
                place[key] = random.choice(self.ODD)
            if not isinstance(given.get("o"), dict) or not isinstance(given["o"].get("a"), dict):
                break
        return given

    def test_value_and_error_are_those_of_the_whole_dict(self):
        random = chance.Random(5)
        rules = [formula.compile(source, self.SIGNATURE) for source in self.SOURCES + self.FLAT]
        rules += [formula.compile(source) for source in self.FLAT]
        values = 0
        for _ in range(12000):
            given, rule = self.inputs(random), random.choice(rules)
            cost_max = random.choice([None, None, random.randrange(40)])
            whole = told(lambda: rule.eval(rule.prepare(given), cost_max=cost_max))
            read = told(lambda: rule.eval(given, cost_max=cost_max))
            self.assertEqual(read, whole, (rule, given))
            values += isinstance(whole[0], type) and not issubclass(whole[0], Exception)
        # Neither always a value nor always an error.
        self.assertTrue(3000 < values < 10500, values)

    def test_a_dict_that_changed_is_read_again(self):
        rule = formula.compile("'big' if n > 5 else s", "n: int, s: str")
        row = {"n": 6, "s": "low"}
        self.assertEqual(rule.eval(row), "big")
        row["n"] = 5
        self.assertEqual(rule.eval(row), "low")
        row["s"] = "lower"
        self.assertEqual(rule.eval(row), "lower")

    def test_any_number_of_inputs_is_read(self):
        for count in [1, 2, 7, 8, 9, 30]:
            names = [f"x{n}" for n in range(count)]
            rule = formula.compile(" + ".join(names), ", ".join(f"{name}: int" for name in names))
            row = {name: n for n, name in enumerate(names)}
            value, cost = rule.eval_with_cost(row)
            self.assertEqual(value, sum(range(count)))
            self.assertEqual(rule.eval(row, cost_max=cost), value)
            with self.assertRaisesRegex(formula.FormulaError, "budget-cost"):
                rule.eval(row, cost_max=cost - 1)

    def test_an_input_that_no_branch_reads_must_be_there_and_of_its_type(self):
        rule = formula.compile("1 if a > 0 else b", "a: int, b: int")
        with self.assertRaisesRegex(formula.FormulaError, "input `b` is not given"):
            rule.eval({"a": 1})
        with self.assertRaisesRegex(formula.FormulaError, "input `b` is a string"):
            rule.eval({"a": 1, "b": "x"})
        self.assertEqual(rule.eval({"a": 1, "b": 2}), 1)

    def test_none_is_given_for_what_may_be_none_alone(self):
        self.assertIsNone(formula.compile("a", "a: str?").eval({}))
        for signature in ["a: any", "a: str", None]:
            with self.assertRaisesRegex(formula.FormulaError, "input `a` is not given"):
                formula.compile("a", signature).eval({})


def watched(base):
    """A subclass whose methods count their calls."""

    class Watched(base):
        calls = 0

    def method(name):
        def call(self, *given):
            Watched.calls += 1
            return getattr(base, name)(self, *given)

        return call

    for name in dir(base):
        # Those that every object needs to be made and looked at.
        if callable(getattr(base, name)) and name not in (
                "__new__", "__init__", "__init_subclass__", "__class__", "__getattribute__",
                "__subclasshook__", "__setattr__", "__delattr__"):
            setattr(Watched, name, method(name))
    return Watched


class Foreign(unittest.TestCase):
    MADE = [(int, 7), (float, 1.5), (str, "EU"), (decimal.Decimal, "1"), (dict, {"z": 1}),
            (list, [1]), (tuple, (1,))]

    def test_a_subclass_is_no_value_and_none_of_its_methods_is_called(self):
        objects = [watched(base)(given) for base, given in self.MADE]
        objects.append(watched(datetime.date)(2024, 1, 31))
        objects.append(watched(datetime.timedelta)(30))
        objects.append(watched(datetime.datetime)(2024, 1, 31, tzinfo=datetime.timezone.utc))
        sources = ["x", "x + x", "x + 'a'", "x == 1", "len(x)"]
        rules = [formula.compile(source) for source in sources]
        for given in objects:
            # The count counts.
            repr(given)
            self.assertGreater(type(given).calls, 0, type(given))
            type(given).calls = 0
            for rule in rules:
                with self.assertRaisesRegex(TypeError, "a `Watched` is no value"):
                    rule.eval({"x": given})
                with self.assertRaisesRegex(TypeError, "a `Watched` is no value"):
                    rule.prepare({"x": [given]})
            self.assertEqual(type(given).calls, 0, type(given))

    def test_a_dict_of_a_subclass_is_read_without_its_methods(self):
        kind = watched(dict)
        given = kind(a=2, b=2.5)
        kind.calls = 0
        self.assertEqual(formula.compile("a * b", "a: int, b: float").eval(given), 5.0)
        self.assertEqual(formula.compile("round(a * b)").eval(given), 5)
        self.assertEqual(kind.calls, 0)

    def test_a_key_that_changes_the_dict_while_it_is_looked_up_does_no_harm(self):
        class Key(str):
            __hash__ = str.__hash__

            def __eq__(self, other):
                given.clear()
                return str.__eq__(self, other)

        for source in ["a + b + c", "a + ' ' + b + c", "len(a + b + c)"]:
            rule = formula.compile(source)
            given = {"a": "x" * 30, Key("b"): "y" * 30, "c": "z" * 30}
            with self.assertRaisesRegex(formula.FormulaError, "is not given"):
                rule.eval(given)

    def test_what_it_gives_is_of_the_plain_classes(self):
        for source, given in [("a", "EU"), ("'x' if a else 'y'", True), ("a", datetime.date.max),
                              ("a", datetime.timedelta(-1, 5, 7)), ("a + ''", "é😀")]:
            value = formula.compile(source).eval({"a": given})
            self.assertIn(type(value), (str, datetime.date, datetime.timedelta))


class Errors(unittest.TestCase):
    def test_an_error_has_code_place_and_cost(self):
        with self.assertRaises(formula.FormulaError) as caught:
            formula.compile("1 +\n x.y")
        self.assertEqual(caught.exception.code, "source-syntax")
        with self.assertRaises(formula.FormulaError) as caught:
            formula.compile("2 * (a / b)").eval({"a": 1, "b": 0})
        error = caught.exception
        self.assertEqual((error.code, error.family), ("eval-division-by-zero", "evaluation"))
        self.assertEqual((error.span, error.line, error.column), ((5, 10), 1, 6))
        self.assertTrue(error.cost > 0 and error.hint)
        with self.assertRaises(formula.FormulaError) as caught:
            formula.compile("[x for x in range(9999)]").eval({}, cost_max=100)
        self.assertEqual(caught.exception.code, "budget-cost")

    def test_a_missing_input_is_named(self):
        with self.assertRaisesRegex(formula.FormulaError, "input `b` is not given"):
            formula.compile("a + b").eval({"a": 1})


class Use(unittest.TestCase):
    def test_prepared_inputs_serve_many_evaluations_and_threads(self):
        rule = formula.compile("sum(r['x'] for r in rows)", "rows: list[{x: int}, 1000]")
        rows = rule.prepare({"rows": [{"x": n} for n in range(1000)]})
        found = []
        threads = [threading.Thread(target=lambda: found.append(rule.eval(rows))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [499500] * 8)
        self.assertEqual(rule.kind, "int")
        self.assertIsInstance(rule.cost_max, int)


class Package(unittest.TestCase):
    def test_another_module_in_the_place_of_datetime_is_an_error_of_the_import(self):
        package = importlib.resources.files("stockade")
        with tempfile.TemporaryDirectory() as place:
            for name, content in [("other", ""), ("datetime", "date = timedelta = 1")]:
                with open(os.path.join(place, name + ".py"), "w", encoding="utf-8") as file:
                    file.write(content)
            run = [sys.executable, "-S", "-c"]
            script = f"import sys; sys.path[:0] = {[place, str(package.parent)]}; import "
            told = {"capture_output": True, "text": True}
            done = subprocess.run([*run, script + "stockade.formula"], **told)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("TypeError", done.stderr)
            # The place itself does no harm.
            os.remove(os.path.join(place, "datetime.py"))
            done = subprocess.run([*run, script + "other, stockade.formula"])
            self.assertEqual(done.returncode, 0)

    def test_the_types_are_part_of_it(self):
        files = importlib.resources.files("stockade")
        self.assertTrue(files.joinpath("py.typed").is_file())
        declared = files.joinpath("_formula.pyi").read_text()
        for holder in [formula.Compiled, formula.Prepared]:
            self.assertIn(f"class {holder.__name__}:", declared)
            for name in vars(holder):
                if not name.startswith("_"):
                    self.assertIn(f"def {name}(", declared)

    def test_what_is_compiled_is_not_pickled(self):
        with self.assertRaises(TypeError):
            pickle.dumps(formula.compile("1"))


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(formula))
    here = os.path.dirname(os.path.abspath(__file__))
    readme = os.path.join(here, "..", "README.md")
    with open(readme, encoding="utf-8") as file:
        # The fence that ends an example is not what it prints.
        text = file.read().replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "README.md", readme, 0)
    tests.addTest(doctest.DocTestCase(examples))
    return tests


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
