"""Scalar formulas, compiled, called as their users call them for a row that is a dict.

Arguments: the table of formulas, the inputs and the signature, as `formula-race` prints them, and
how this project's wheel is called. All that evaluate a formula take turns in each round, and
another begins each round; nobody's time has a call of this script in it. A few processes do that,
one after the other, since now and then one has a formula that is slower in it for as long as it
lives; the median of their medians counts.
Prints a line for each measurement: engine, formula, phase, median µs; the others are called after
whom they were measured beside.
"""

import datetime
import json
import statistics
import subprocess
import sys
import timeit

from RestrictedPython import compile_restricted_eval, safe_builtins
from RestrictedPython.Eval import default_guarded_getitem, default_guarded_getiter
from stockade import formula

PROCESSES, ROUNDS, CALLS = 5, 15, 10_000


def contenders(source, signature, row, ours):
    rule = formula.compile(source, signature)
    restricted = compile_restricted_eval(source).code
    guards = {"__builtins__": safe_builtins, "_getitem_": default_guarded_getitem,
              "_getiter_": default_guarded_getiter}
    made = {
        ours: ("rule.eval(row)", {"rule": rule}),
        f"{ours}-prepared": ("rule.eval(given)", {"rule": rule, "given": rule.prepare(row)}),
        "cpython-eval": ("eval(code, scope, row)",
                         {"code": compile(source, "formula", "eval"), "scope": {}}),
        "restrictedpython": ("eval(code, scope, row)", {"code": restricted, "scope": guards}),
        # The row is part of the scope already, which no caller with rows has for nothing.
        "restrictedpython-merged": ("eval(code, scope)",
                                    {"code": restricted, "scope": {**guards, **row}}),
    }
    values = [eval(call, {"row": row, **names}) for call, names in made.values()]
    assert all(value == values[0] for value in values), values
    return {engine: timeit.Timer(call, globals={"row": row, **names})
            for engine, (call, names) in made.items()}


def once(table, inputs, signature, ours):
    row = json.load(open(inputs))
    for key in ("today", "due"):
        row[key] = datetime.date.fromisoformat(row[key])
    row["limit"] = datetime.timedelta(days=30)
    signature = open(signature).read()
    for line in open(table).read().splitlines():
        name, source, *_ = line.split("\t")
        if "rows" in source:
            continue
        timers = contenders(source, signature, row, ours)
        times = {engine: [] for engine in timers}
        for at in range(ROUNDS):
            turn = at % len(timers)
            for engine in [*timers][turn:] + [*timers][:turn]:
                times[engine].append(timers[engine].timeit(CALLS) / CALLS)
        for engine, each in times.items():
            if not engine.startswith(ours):
                engine = f"{engine}, beside {ours}"
            print(f"{engine}\t{name}\tcompiled\t{statistics.median(each) * 1e6:.4f}")


def main():
    medians = {}
    for _ in range(PROCESSES):
        run = [sys.executable, *sys.argv, "once"]
        done = subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            *key, us = line.split("\t")
            medians.setdefault(tuple(key), []).append(float(us))
    for key, each in medians.items():
        print(*key, f"{statistics.median(each):.4f}", sep="\t")


if sys.argv[-1] == "once":
    once(*sys.argv[1:-1])
else:
    main()
