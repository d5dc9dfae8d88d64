//! Rule by rule: what fires and what does not, each line a source and the codes it must give.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade_check::{Node, Policy, Profile, Severity, check};

fn under(policy: &Policy, source: &str) -> Vec<&'static str> {
    let report = check("rule.py", source.as_bytes(), policy);
    let kept = report
        .findings
        .iter()
        .filter(|one| one.suppressed.is_none());
    kept.map(|one| one.rule.code()).collect()
}

fn all(cases: &[(&str, &[&str])]) {
    let policy = Policy::profile(Profile::NotebookPure).unwrap();
    for (source, codes) in cases {
        assert_eq!(under(&policy, source), *codes, "{source}");
    }
}

#[test]
fn attributes_are_judged_wherever_they_stand() {
    all(&[
        ("x.__class__", &["PY201"]),
        ("x.__class__ = 1", &["PY201"]),
        ("del x._y", &["PY201"]),
        ("x.y._z.w", &["PY201"]),
        ("f'{x.__class__!r:{y.__dict__}}'", &["PY201", "PY201"]),
        ("lambda a=x._y: a", &["PY201"]),
        ("[a for a in x._y if a._z]", &["PY201", "PY201"]),
        ("def f(a=x._y): pass", &["PY201"]),
        ("class A(x._y): pass", &["PY201"]),
        ("match x._y:\n    case _: pass", &["PY201"]),
        ("match 1:\n    case x._y: pass", &["PY201"]),
        ("with x._y as z: pass", &["PY201"]),
        ("assert x, x._y", &["PY201"]),
        ("x[y._z:]", &["PY201"]),
        ("self._x = cls._y", &[]),
        ("self.__class__", &["PY201"]),
        ("x.__name__", &[]),
        ("super().__init__(1)", &[]),
        ("x().__init__(1)", &["PY201"]),
        ("g.gi_frame", &["PY202"]),
        ("e.tb_next", &["PY202"]),
        ("e.obj", &["PY203"]),
        ("A.mro()", &["PY203"]),
        ("x.𝓸bj", &["PY203"]),
    ]);
}

#[test]
fn names_are_judged_whether_they_are_read_called_or_bound() {
    all(&[
        ("getattr", &["PY210"]),
        ("f(eval)", &["PY210"]),
        ("x = [open]", &["PY210"]),
        ("__builtins__", &["PY204"]),
        ("__name__", &[]),
        ("def f(_write_): pass", &["PY240"]),
        ("def f(*_write_): pass", &["PY240"]),
        ("def f(**_write_): pass", &["PY240"]),
        ("def f(*, _write_=1): pass", &["PY240"]),
        ("lambda _write_: 1", &["PY240"]),
        ("(_write_ := 1)", &["PY240"]),
        ("import json as _write_", &["PY240"]),
        ("from json import dumps as _write_", &["PY240"]),
        ("try: pass\nexcept ValueError as _write_: pass", &["PY240"]),
        ("match x:\n    case _write_: pass", &["PY240"]),
        ("match x:\n    case [*_write_]: pass", &["PY240"]),
        ("match x:\n    case {**_write_}: pass", &["PY240"]),
        ("match x:\n    case [_] as _write_: pass", &["PY240"]),
        ("def f():\n    global _write_", &["PY240"]),
        ("def f():\n    nonlocal _write_", &["PY240"]),
        ("del _write_", &["PY240"]),
        ("for _write_ in x: pass", &["PY240"]),
        ("with x as _write_: pass", &["PY240"]),
        ("[1 for _write_ in x]", &["PY240"]),
        ("_write_: int = 1", &["PY240"]),
        ("_write_ += 1", &["PY240"]),
        ("a, (b, *_write_) = x", &["PY240"]),
        ("def _write_(): pass", &["PY240"]),
        ("class _write_: pass", &["PY240"]),
        ("def getattr(): pass", &["PY240"]),
        ("__builtins__ = 1", &["PY240"]),
        ("_ = __ = _x = x_ = 1", &[]),
        ("class File:\n    def open(self): pass", &[]),
    ]);
}

#[test]
fn a_format_is_judged_by_its_text() {
    all(&[
        ("'{}'.format(1)", &[]),
        ("'{0.x}'.format(1)", &["PY211"]),
        ("'{0[x]}'.format(1)", &["PY211"]),
        ("'{:{0.x}}'.format(1)", &["PY211"]),
        ("x.format(1)", &["PY211"]),
        ("f'{x}'.format(1)", &["PY211"]),
        ("str.format", &["PY211"]),
        ("from string import Formatter", &["PY211"]),
        ("from operator import attrgetter as a", &["PY212"]),
        ("import operator as o\no.methodcaller('x')", &["PY212"]),
    ]);
}

#[test]
fn definitions_are_judged() {
    all(&[
        ("@eval\ndef f(): pass", &["PY220", "PY210"]),
        ("@f(1)(2)\ndef f(): pass", &["PY220"]),
        ("@x[0]\nclass A: pass", &["PY220"]),
        ("@property\ndef f(x): pass\n@f.setter\ndef f(x): pass", &[]),
        (
            "class E(ValueError):\n    def __repr__(self): pass",
            &["PY221"],
        ),
        (
            "class E(Exception): pass\nclass F(E):\n    __str__ = 1",
            &["PY221"],
        ),
        ("class A:\n    __class__ = dict", &["PY222"]),
        (
            "class A:\n    if x:\n        def __del__(self): pass",
            &["PY222"],
        ),
        ("class A:\n    import json as __new__", &["PY222"]),
        ("class A:\n    for __set_name__ in x: pass", &["PY222"]),
        ("class A(metaclass=B): pass", &["PY223"]),
        ("class A(**x): pass", &["PY223"]),
        ("class A(type): pass", &["PY223"]),
        ("type('A', (), {})", &["PY223"]),
        ("type(*x)", &["PY223"]),
        ("type(x)", &[]),
        ("match x:\n    case A(): pass", &["PY230"]),
        ("match x:\n    case int(a, b): pass", &["PY230"]),
        ("match x:\n    case x.y(): pass", &["PY230"]),
        ("match x:\n    case str() | int(): pass", &[]),
        ("def f(x: f()): pass", &["PY231"]),
        ("def f(x: 'list[int] | None') -> 'A.B': pass", &[]),
        ("def f(x: '().__class__'): pass", &["PY231"]),
        ("x: (lambda: 1) = 2", &["PY231"]),
        ("def f() -> [x for x in y]: pass", &["PY231"]),
        ("x: Literal[-1, 'a', True] = 2", &[]),
    ]);
}

#[test]
fn modules_are_known_by_their_names_and_aliases() {
    all(&[
        ("import os.path", &["PY310"]),
        ("import json, os", &["PY310"]),
        ("from os import path", &["PY310"]),
        ("from . import x", &["PY310"]),
        ("from .json import dumps", &["PY310"]),
        ("def f():\n    import os", &["PY310"]),
        ("import json.codecs", &["PY310"]),
        ("from json import codecs", &["PY311"]),
        ("from json import dumps, codecs as c", &["PY311"]),
        ("def f(): return j.codecs\nimport json as j", &["PY311"]),
        ("import collections.abc\ncollections.abc.Mapping", &[]),
        ("import collections.abc\ncollections.abc.sys", &["PY311"]),
        ("import collections as c\nc.abc.Mapping, c.sys", &["PY311"]),
        ("from collections import abc as a\na.sys", &["PY311"]),
        ("import numpy as np\nnp.linalg.inv(np.zeros(3))", &[]),
        ("import numpy as np\nnp.ctypeslib.ctypes", &["PY311"]),
        ("import numpy as np\nnp.load('x')", &["PY312"]),
        ("import pandas as pd\npd.read_pickle('x')", &["PY312"]),
        ("from pandas import read_pickle", &["PY312"]),
        ("import dill.source", &["PY312"]),
        ("import marshal as m", &["PY312"]),
        ("from json import *", &["PY313"]),
        ("import json\njson.x = 1", &["PY250"]),
        ("import json\ndel json.dumps", &["PY250"]),
        ("import json\nfor json.x in y: pass", &["PY250"]),
        ("import json\njson.x += 1", &["PY250"]),
        ("import json as j\nj.decoder['x'] = 1", &["PY250", "PY311"]),
        ("from __future__ import annotations", &[]),
    ]);
}

#[test]
fn control_and_size_are_judged_where_they_show() {
    all(&[
        (
            "try: pass\nexcept (ValueError, BaseException): pass",
            &["PY401"],
        ),
        ("try: pass\nexcept Exception: pass", &[]),
        ("while 1: pass", &["PY410"]),
        ("while True:\n    for x in y: break", &["PY410"]),
        ("while True:\n    def f(): return 1", &["PY410"]),
        ("while True:\n    for x in y: pass\n    else: break", &[]),
        ("def f():\n    while True: yield 1", &[]),
        ("while True:\n    raise ValueError", &[]),
        ("while 0: pass", &[]),
        (
            "import itertools as i\nfor x in i.count(): pass",
            &["PY410"],
        ),
        (
            "from itertools import cycle\nfor x in cycle(y): pass",
            &["PY410"],
        ),
        (
            "import itertools\nfor x in itertools.repeat(1, 3): pass",
            &[],
        ),
        ("1 << 10 ** 9", &["PY420"]),
        ("-2 ** 99999", &["PY420"]),
        ("10 ** 100", &[]),
        ("'x' * 10 ** 9", &["PY421"]),
        ("10 ** 9 * (1, 2)", &["PY421"]),
        ("bytes(10 ** 9)", &["PY421"]),
        ("'x'.ljust(10 ** 9)", &["PY421"]),
        ("f'{x:>99999999999}'", &["PY421"]),
        ("f'{x:>99999999999999999999999999}'", &["PY421"]),
        ("f'{x:>20}' + 'x' * 20", &[]),
    ]);
    let digits = format!("x = {}", "9".repeat(5_000));
    all(&[(&digits, &["PY420"])]);
}

#[test]
fn syntax_that_is_too_new_for_the_interpreter_is_told() {
    let source = "def f[T](x): pass";
    let old = Policy::parse("python = '3.11'").unwrap();
    let new = Policy::parse("python = '3.12'").unwrap();
    assert_eq!(under(&old, source), ["PY102"]);
    assert_eq!(under(&new, source), [""; 0]);
}

#[test]
fn a_suppression_is_for_one_rule_in_the_files_and_line_it_names() {
    let text = "[[suppress]]\nrule = 'private-attribute'\nfile = 'ru*.py'\nline = 2\nreason = 'x'";
    let policy = Policy::parse(text).unwrap();
    assert_eq!(under(&policy, "x = 1\nx._y\nx._z"), ["PY201"]);
    let report = check("rule.py", b"\nx._y\n", &policy);
    assert!(!report.fails(Severity::Note));
    assert_eq!(report.findings[0].suppressed.as_deref(), Some("x"));
    assert!(check("other.py", b"\nx._y\n", &policy).fails(Severity::Error));
    // Nothing in a submission suppresses anything.
    assert_eq!(under(&policy, "x._y  # noqa: PY201"), ["PY201"]);
}

#[test]
fn a_severity_of_the_policy_decides_what_fails() {
    let policy = Policy::parse("[severity]\nPY201 = 'note'\nbare-except = 'error'").unwrap();
    assert!(!check("rule.py", b"x._y", &policy).fails(Severity::Warning));
    assert!(check("rule.py", b"x._y", &policy).fails(Severity::Note));
    let bare = check("rule.py", b"try: pass\nexcept: pass", &policy);
    assert!(bare.fails(Severity::Error));
}

#[test]
fn profiles_differ_in_what_they_are_for() {
    let of = |profile| Policy::profile(profile).unwrap();
    let reads = "import pathlib\nfor line in open('x'): print(line)";
    assert_eq!(under(&of(Profile::NotebookPure), reads), ["PY310", "PY210"]);
    assert_eq!(under(&of(Profile::Automation), reads), [""; 0]);
    assert_eq!(
        under(&of(Profile::Automation), "import subprocess"),
        ["PY310"]
    );
    let sums = "import math\ntotal = math.sqrt(price * qty) if qty > 0 else 0";
    assert_eq!(under(&of(Profile::FormulaLike), sums), [""; 0]);
    let loops = "for x in y: pass";
    assert_eq!(under(&of(Profile::FormulaLike), loops), ["PY103"]);
}

/// Every kind of syntax that Python 3.15 has, at least once.
const ALL_SYNTAX: &str = "\
lazy import json
import json
from json import dumps
type Pair[T, *Ts, **P] = int
async def wait(x):
    async for y in x: await y
    async with x: pass
    return [z async for z in x]
class A(B): pass
def f(a):
    global g
    def h():
        nonlocal a
    yield
    yield from a
    return a
del x
x = y = (1, [2], {3}, {4: 5}, 'a'[1:2])
x += not (lambda: -1)
x: int = (z := 1) if x else 2
for x in [*y]: continue
while x: break
if x and 1 < 2: pass
with x: pass
match x:
    case 1 | None: pass
    case [a, *b]: pass
    case {'a': c}: pass
    case int() as d: pass
try: raise x
except E: pass
try: pass
except* E: pass
assert f'{x}', t'{x}'
[x for x in y], {x for x in y}, {x: 1 for x in y}, (x for x in y)
x.y(1 + 2)
";

#[test]
fn what_is_not_listed_is_refused_whatever_it_is() {
    let policy = Policy::parse("python = '3.15'\nnodes = []").unwrap();
    let report = check("all.py", ALL_SYNTAX.as_bytes(), &policy);
    for node in Node::ALL {
        // Only a notebook's own front end reads these.
        if *node == Node::IpyEscapeCommand {
            continue;
        }
        let quoted = format!("`{}` is not in the policy's list of syntax", node.name());
        let told = report.findings.iter().any(|one| one.message == quoted);
        assert!(told, "{}: {:?}", node.name(), report.findings.first());
    }
}

#[test]
fn a_notebooks_own_commands_are_no_python() {
    all(&[("!ls", &["PY101"]), ("%time x", &["PY101"])]);
}
