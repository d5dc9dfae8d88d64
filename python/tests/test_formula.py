"""Run by `cargo xtask python`: the binding, from Python."""

import datetime
import decimal
import doctest
import importlib.resources
import os
import pickle
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
