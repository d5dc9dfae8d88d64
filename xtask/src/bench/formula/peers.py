"""The formulas from Python: this project's binding, CPython's eval, and other evaluators. Scalar
formulas that are compiled are `scalar.py`'s for those that take less than a microsecond.

Arguments: the table of formulas and the inputs, as `formula-race` prints them.
Prints a line for each measurement: engine, formula, phase, median µs.
"""

import datetime
import json
import statistics
import sys
import time

BATCHES, BATCH_SECONDS = 15, 0.004


def median(call):
    call()
    start = time.perf_counter()
    call()
    each = max(time.perf_counter() - start, 1e-8)
    count = max(1, min(100_000, int(BATCH_SECONDS / each)))
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times) * 1e6


def large(name):
    return name in ("filter", "aggregate")


def shown(engine, name, phase, make):
    try:
        print(f"{engine}\t{name}\t{phase}\t{median(make()):.4f}", flush=True)
    except Exception as error:
        print(f"{engine}\t{name}\t{phase}\tcannot: {type(error).__name__}", flush=True)


def ours(table, names, signature):
    from stockade import formula

    for name, source, *_ in table:
        rule = formula.compile(source, signature)
        prepared = rule.prepare(names)
        used = {key: value for key, value in names.items() if key in source}
        given = prepared if "rows" in used else used
        if large(name):
            shown("stockade", name, "compiled", lambda: lambda: rule.eval(given))
        shown("stockade", name, "parse+eval",
              lambda: lambda: formula.compile(source, signature).eval(given))


def cpython(table, names):
    for name, source, *_ in table:
        code = compile(source, "formula", "eval")
        if large(name):
            shown("cpython-eval", name, "compiled", lambda: lambda: eval(code, {}, names))
        shown("cpython-eval", name, "parse+eval", lambda: lambda: eval(source, {}, names))


def restricted(table, names):
    from RestrictedPython import compile_restricted_eval
    from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter

    guards = {"_getitem_": default_guarded_getitem, "_getiter_": default_guarded_getiter}
    guards["sum"] = sum
    for name, source, *_ in table:
        code = compile_restricted_eval(source).code
        scope = {**guards, **names}
        if large(name):
            shown("restrictedpython", name, "compiled", lambda: lambda: eval(code, scope))
        shown("restrictedpython", name, "parse+eval",
              lambda: lambda: eval(compile_restricted_eval(source).code, scope))


def simple(table, names):
    import simpleeval

    for name, source, *_ in table:
        def make():
            evaluator = simpleeval.EvalWithCompoundTypes(names=names, functions={"sum": sum})
            return lambda: evaluator.eval(source)
        shown("simpleeval", name, "parse+eval", make)
        if name == "arithmetic":
            print("simpleeval\tall\tcompiled\tcannot: it parses at each call")


def celpy_rows(table, names):
    import celpy

    environment = celpy.Environment()
    dates = (datetime.date, datetime.timedelta)
    plain = {key: value for key, value in names.items() if not isinstance(value, dates)}
    activation = {key: celpy.json_to_cel(value) for key, value in plain.items()}
    for key in ("today", "due"):
        activation[key] = celpy.celtypes.TimestampType(f"{names[key]}T00:00:00Z")
    activation["limit"] = celpy.celtypes.DurationType(names["limit"])
    for name, _, can, source in table:
        if not can:
            print(f"cel-python\t{name}\tboth phases\tcannot: {source}", flush=True)
            continue
        program = environment.program(environment.compile(source))
        shown("cel-python", name, "compiled", lambda: lambda: program.evaluate(activation))
        shown("cel-python", name, "parse+eval",
              lambda: lambda: environment.program(environment.compile(source)).evaluate(activation))


def monty(table, names):
    import pydantic_monty

    # It parses each snippet anew, in a process of its own: there is no compiled form.
    with pydantic_monty.Monty() as pool, pool.checkout() as session:
        print("monty\tall\tcompiled\tcannot: it parses at each call")
        for name, source, *_ in table:
            used = {key: value for key, value in names.items() if key in source}
            shown("monty", name, "parse+eval", lambda: lambda: session.feed_run(
                source, inputs=used, skip_type_check=True))


def main():
    table = [line.split("\t") for line in open(sys.argv[1]).read().splitlines()]
    names = json.load(open(sys.argv[2]))
    for key in ("today", "due"):
        names[key] = datetime.date.fromisoformat(names[key])
    names["limit"] = datetime.timedelta(days=30)
    signature = open(sys.argv[3]).read()
    parts = [cpython, restricted, simple, celpy_rows, monty]
    for part in [lambda table, names: ours(table, names, signature), *parts]:
        try:
            part(table, names)
        except Exception as error:
            print(f"SKIPPED: {error}", file=sys.stderr)


main()
