"""Run by `cargo xtask python`: the binding, from Python."""

import datetime
import decimal
import doctest
import importlib.resources
import os
import pickle
import random as chance
import sys
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


class Reads(unittest.TestCase):
    """A dict of which scalars alone are read, and the same after all of it was converted."""

    SIGNATURE = ("o: {a: {n: int, s: str[8], f: float?, t: str}, x: float, l: list[int, 2],"
                 " when: date, b: bool, m: decimal?}, d: date, k: duration, u: {z: any}")
    SOURCES = ["o['a']['s'] == 'EU'", "o['a']['n'] * 2 + o['x'] > o['a']['n']",
               "o['a']['f'] + 1", "o['when'] - d > k", "0 < o['x'] <= o['a']['n'] and o['b']",
               "o['a']['t'] if o['b'] else o['a']['s']", "1 / o['a']['n']", "o['m'] == 1 or d < d",
               "o['a']['s'] in o['a']['t']", "len(o['a']['s']) > o['x']", "o['a'] == u or o['b']"]
    ODD = [None, True, 0, -7, 2**63, 1.5, float("inf"), "", "long enough", "\ud800", "EU", [], [1],
           [1, 2, 3], {}, Subclass(s="EU"), {1: 2}, object(), decimal.Decimal("1"),
           decimal.Decimal("NaN"), datetime.date(1, 1, 1), datetime.date(9999, 12, 31),
           datetime.timedelta.max, datetime.timedelta(1)]

    def inputs(self, random):
        given = {"o": {"a": {"n": 3, "s": "EU", "f": 1.5, "t": "the EU"}, "x": 2.0, "l": [1],
                       "when": datetime.date(2024, 3, 31), "b": True, "m": None},
                 "d": datetime.date(2024, 1, 31), "k": datetime.timedelta(30), "u": {"z": 1}}
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
        def told(call):
            try:
                value = call()
                return type(value), value
            except formula.FormulaError as error:
                return error.code, str(error), error.span, error.cost
            except (ValueError, TypeError, OverflowError) as error:
                return type(error), str(error)

        random = chance.Random(5)
        rules = [formula.compile(source, self.SIGNATURE) for source in self.SOURCES]
        values = 0
        for _ in range(4000):
            given, rule = self.inputs(random), random.choice(rules)
            cost_max = random.choice([None, None, random.randrange(40)])
            whole = told(lambda: rule.eval(rule.prepare(given), cost_max=cost_max))
            read = told(lambda: rule.eval(given, cost_max=cost_max))
            self.assertEqual(read, whole, (rule, given))
            values += isinstance(whole[0], type) and not issubclass(whole[0], Exception)
        # Neither always a value nor always an error.
        self.assertTrue(1000 < values < 3500, values)


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
