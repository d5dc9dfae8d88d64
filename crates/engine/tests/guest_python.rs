//! The guest's Python modules, on every interpreter of this host, inside a bare template.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod python;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use stockade_core::template::Template;
use stockade_sys::tool::{self, Tool};

use python::{Scratch, interpreters, plain, prepared, run_in, text};

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    /// The text that was emitted.
    value: Option<String>,
    /// The claim about the exception.
    raised: Option<Value>,
}

fn run(template: &Template, job: &str, command: &str) -> Ran {
    let scratch = Scratch::new("job");
    let done = run_in(template, &scratch.path, job, command);
    let raised = fs::read_to_string(scratch.path.join("raised.json")).ok();
    Ran {
        code: done.status.code(),
        stdout: text(&done.stdout),
        stderr: text(&done.stderr),
        value: fs::read_to_string(scratch.path.join("out.json")).ok(),
        raised: raised.map(|claim| {
            assert!(
                claim.len() <= stockade_core::CLAIM_BYTES_MAX,
                "{} bytes",
                claim.len()
            );
            serde_json::from_str(&claim).unwrap()
        }),
    }
}

/// Runs a check in the template of each interpreter.
fn on_each(check: impl Fn(&Template)) {
    // Shared and kept: building is the other test's subject.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stockade-cache");
    for interpreter in interpreters() {
        println!("{}", interpreter.display());
        check(&prepared(&interpreter, &cache));
    }
}

fn job(template: &Template, source: &str) -> Ran {
    run(template, source, &plain(template))
}

fn call(template: &Template, source: &str, name: &str) -> Ran {
    let Template {
        interpreter,
        site_dir,
        ..
    } = template;
    let command = format!("{interpreter} -I {site_dir}/_stockade_call.py /work/out.json {name}");
    run(template, source, &command)
}

#[test]
fn every_conversion_rule_holds() {
    // `cargo xtask test data` brings one with numpy and pandas, and counts their skip as a failure.
    let data = std::env::var_os("STOCKADE_DATA_PYTHON").map(PathBuf::from);
    for interpreter in interpreters().into_iter().chain(data.clone()) {
        let scratch = Scratch::new("values");
        let test = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/guest/value.py");
        let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/python");
        let done = tool::run(&Tool {
            program: &interpreter,
            args: &["-I", "-B", test, modules]
                .map(OsStr::new)
                .into_iter()
                .chain([scratch.path.as_os_str()])
                .collect::<Vec<_>>(),
            env: &[("LANG", OsStr::new("C.UTF-8"))],
            stdin: b"",
            within: Duration::from_mins(1),
            output_bytes_max: 1 << 20,
        })
        .unwrap();
        let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
        print!("{stdout}");
        assert!(
            done.status.success(),
            "{}: {stdout} {stderr}",
            interpreter.display()
        );
        let skipped = stdout.contains("skipped:");
        assert!(!skipped || data.as_ref() != Some(&interpreter), "{stdout}");
    }
}

#[test]
fn an_exception_is_reported_at_the_line_that_raised_it() {
    let source = include_str!("guest/raises.py");
    on_each(|template| {
        let ran = job(template, source);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(
            ran.stderr
                .contains("File \"/work/job.py\", line 6, in <module>\n    1 / 0")
        );
        assert!(
            ran.stderr
                .ends_with("ZeroDivisionError: division by zero\n"),
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("stockade"), "{}", ran.stderr);
        let claim = ran.raised.unwrap();
        assert_eq!(claim["type"], "ZeroDivisionError");
        assert_eq!(claim["message"], "division by zero");
        assert_eq!(claim["traceback"], ran.stderr.as_str());
        assert!(claim["pid"].as_u64().is_some_and(|pid| pid > 1));
        let called = call(template, &source.replace("    1 / 0   # line 6", ""), "f");
        assert!(
            called.stderr.contains("`f` takes no argument"),
            "{}",
            called.stderr
        );
    });
}

#[test]
fn frames_of_ours_are_not_shown() {
    on_each(|template| {
        let source = "import stockade_guest as g\ndef main(x):\n    g.emit({'a': [1j]})\n";
        let message = "TypeError: $.a[0]: no rule for type 'complex'; convert";
        for ran in [
            job(template, &format!("{source}main(1)")),
            call(template, source, "main"),
        ] {
            assert!(
                ran.stderr.contains("line 3, in main\n    g.emit("),
                "{}",
                ran.stderr
            );
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
            assert!(!ran.stderr.contains("stockade_guest.py"), "{}", ran.stderr);
            assert!(!ran.stderr.contains("_stockade"), "{}", ran.stderr);
            assert_eq!(ran.value, None);
        }
        let source = "import asyncio\nasync def main(x):\n    await asyncio.sleep(0)\n    1 / 0\n";
        let ran = call(template, source, "main");
        let start =
            "Traceback (most recent call last):\n  File \"/work/job.py\", line 4, in main\n";
        assert!(ran.stderr.starts_with(start), "{}", ran.stderr);
        let ran = call(template, "def main(x): return {'n': float('nan')}", "main");
        let last =
            "ValueError: $.n: NaN is not JSON; decide what a missing number is, such as `None`";
        assert_eq!(ran.stderr.trim_end(), last);
        let ran = call(template, "def main(x):\n  return (", "main");
        assert!(
            ran.stderr.starts_with("  File \"/work/job.py\", line 2"),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.raised.unwrap()["type"], "SyntaxError");
    });
}

#[test]
fn claims_are_bounded_and_hostile_exceptions_do_not_stop_them() {
    on_each(|template| {
        let cases = [
            ("x = (", "SyntaxError", ""),
            ("raise ValueError('é' * 10**5)", "ValueError", "éé"),
            (
                "raise ValueError('\\0\\\\' * 10**5)",
                "ValueError",
                "\u{fffd}\\",
            ),
            ("raise ValueError('\\ud800')", "ValueError", "\\ud800"),
            (
                "def f(): f()\nf()",
                "RecursionError",
                "maximum recursion depth",
            ),
            ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
            ("raise MemoryError", "MemoryError", ""),
            (
                "class E(Exception):\n  def __str__(self): raise SystemExit\nraise E",
                "E",
                "<the",
            ),
            (
                "import json\njson.loads('{')",
                "json.decoder.JSONDecodeError",
                "Expecting",
            ),
            (
                "import sys\nsys.excepthook = lambda *e: None\n1 / 0",
                "ZeroDivisionError",
                "div",
            ),
            (
                "e = ValueError('a')\ne.__context__ = e\nraise e",
                "ValueError",
                "a",
            ),
            (
                "class E(Exception): __traceback__ = 1\nraise E('x')",
                "E",
                "x",
            ),
        ];
        for (source, kind, message) in cases {
            let ran = job(template, source);
            assert!(!ran.stderr.contains("stockade"), "{source}: {}", ran.stderr);
            let claim = ran
                .raised
                .unwrap_or_else(|| panic!("{source}: {:.500}", ran.stderr));
            assert_eq!(claim["type"], kind, "{source}");
            let text = claim["message"].as_str().unwrap();
            assert!(
                text.starts_with(message) && text.len() <= 4096,
                "{source}: {text:.99}"
            );
            let trace = claim["traceback"].as_str().unwrap();
            assert!(trace.len() <= 16 << 10, "{source}");
        }
    });
}

#[test]
fn only_the_exception_that_ends_the_run_is_claimed() {
    let sources = [
        "import sys; sys.exit(1)",
        "raise SystemExit('no')",
        "import os; os._exit(1)",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', '1 / 0'])\nsys.exit(1)",
        "import os, sys\nif os.fork() == 0: 1 / 0\nos.wait(); sys.exit(1)",
        "import threading, sys\nt = threading.Thread(target=lambda: 1 / 0)\nt.start(); t.join()\n\
         sys.exit(1)",
    ];
    on_each(|template| {
        for source in sources {
            let ran = job(template, source);
            assert_eq!(
                (ran.code, ran.raised),
                (Some(1), None),
                "{source}: {}",
                ran.stderr
            );
        }
    });
}

#[test]
fn a_print_arrives_before_a_kill() {
    on_each(|template| {
        let ran = job(
            template,
            "import os\nprint('step', 1)\nprint('é日😀')\nos.kill(os.getpid(), 9)",
        );
        assert_eq!(ran.stdout, "step 1\né日😀\n");
        assert_ne!(ran.code, Some(0));
    });
}

#[test]
fn a_called_function_gets_the_input_and_gives_the_value() {
    on_each(|template| {
        let cases = [
            ("def main(x): return {'got': x}", "{\"got\":[1]}"),
            ("async def main(x): return x", "[1]"),
            ("main = lambda x: None", "null"),
            ("class main:\n  def __new__(cls, x): return 2", "2"),
            ("def main(*all): return len(all)", "1"),
            (
                "import stockade_guest as g\ndef main(x): g.emit('mine')",
                "\"mine\"",
            ),
        ];
        for (source, value) in cases {
            let ran = call(template, source, "main");
            assert_eq!(
                ran.value.as_deref(),
                Some(value),
                "{source}: {}",
                ran.stderr
            );
            assert_eq!(ran.code, Some(0), "{source}: {}", ran.stderr);
        }
        let refused = [
            (
                "def other(x): 1",
                "does not define `main`; it defines `other`",
            ),
            ("main = 3", "is not a function but of type 'int'"),
            ("def main(): 1", "`main` takes no argument"),
        ];
        for (source, message) in refused {
            let ran = call(template, source, "main");
            assert_eq!((ran.code, ran.value), (Some(1), None));
            let claim = ran.raised.unwrap();
            assert_eq!(claim["type"], "stockade_guest.CallError");
            assert!(
                claim["message"].as_str().unwrap().contains(message),
                "{claim}"
            );
            assert!(
                ran.stderr.starts_with("stockade_guest.CallError: "),
                "{}",
                ran.stderr
            );
        }
        let twice = "import stockade_guest as g\ng.emit(1)\ndef main(x): return 2";
        let ran = call(template, twice, "main");
        assert_eq!((ran.code, ran.value.as_deref()), (Some(1), Some("1")));
        assert!(ran.stderr.contains("a run has one value"), "{}", ran.stderr);
    });
}

#[test]
fn a_called_file_is_a_real_main() {
    on_each(|template| {
        let ran = call(template, include_str!("guest/main_file.py"), "main");
        assert_eq!(ran.value.as_deref(), Some("\"real\""), "{}", ran.stderr);
        let ran = job(template, include_str!("guest/main_file.py"));
        assert_eq!(ran.value.as_deref(), Some("\"real\""), "{}", ran.stderr);
    });
}

#[test]
fn files_beside_the_job_are_found_and_do_not_shadow_the_standard_library() {
    let source = "import os\nopen('/work/random.py', 'w').write('x = 1')\n\
                  open('/work/beside.py', 'w').write('import random; y = random.random')\n\
                  import beside, random\nassert not hasattr(random, 'x')\n\
                  import stockade_guest as g\ng.emit(beside.__file__)";
    on_each(|template| {
        let ran = job(template, source);
        assert_eq!(
            ran.value.as_deref(),
            Some("\"/work/beside.py\""),
            "{}",
            ran.stderr
        );
    });
}
