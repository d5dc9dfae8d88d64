//! `stockade check`, and `stockade run --check`.

use serde_json::Value;

use crate::workshop::{Done, Workshop};

const NOTICE: &str = "a guardrail for authors you can talk to, not a boundary";
const FORMATS: [&str; 6] = ["full", "concise", "json", "json-lines", "sarif", "github"];

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("good.py", "import math\nprint(math.pi)\n");
    shop.file("bad.py", "x = 1\nname = 'é' + eval('2')\n");
    shop.file("meh.py", "try:\n    print(1)\nexcept:\n    pass\n");
    shop
}

fn ends(done: &Done, code: i32, says: &str) {
    assert_eq!(done.code, Some(code), "{done:?}");
    let all = format!("{}{}", done.stdout, done.stderr);
    assert!(all.contains(says), "{says}: {done:?}");
}

#[test]
fn a_file_ends_with_0_or_1_and_what_cannot_be_used_with_2() {
    let shop = shop();
    ends(&shop.run(["check", "good.py"]), 0, "1 file, nothing found");
    ends(
        &shop.run(["check", "bad.py", "good.py"]),
        1,
        "2 files, 1 error",
    );
    ends(&shop.run(["check", "meh.py"]), 0, "1 warning");
    ends(
        &shop.run(["check", "meh.py", "--fail-on", "warning"]),
        1,
        "PY401",
    );
    for args in [
        &["check"][..],
        &["check", "good.py", "--profile", "mine"],
        &["check", "missing.py"],
        &["check", "good.py", "--policy", "missing.toml"],
        &["check", "good.py", "--policy", "good.py"],
        &["check", "--explain", "PY999"],
        &["check", "."],
    ] {
        let done = shop.run(args);
        assert!(
            matches!(done.code, Some(2)) || args.len() == 1,
            "{args:?}: {done:?}"
        );
        assert_ne!(done.code, Some(0), "{args:?}");
    }
}

#[test]
fn every_form_has_the_finding_and_ends_with_what_a_check_is_not() {
    let shop = shop();
    for format in FORMATS {
        let done = shop.run(["check", "bad.py", "good.py", "--output-format", format]);
        ends(&done, 1, "PY210");
        assert!(
            done.stdout.trim_end().contains(NOTICE),
            "{format}: {done:?}"
        );
        let clean = shop.run(["check", "good.py", "--output-format", format]);
        ends(&clean, 0, NOTICE);
        let last = done.stdout.lines().last().unwrap();
        match format {
            "json" | "sarif" => drop(serde_json::from_str::<Value>(&done.stdout).unwrap()),
            "json-lines" => {
                let last: Value = serde_json::from_str(last).unwrap();
                assert_eq!(last["notice"], NOTICE);
                assert_eq!(last["summary"]["errors"], 1);
            }
            _ => assert_eq!(last, NOTICE, "{format}"),
        }
    }
}

#[test]
fn places_are_code_points_in_every_form() {
    let shop = shop();
    let full = shop.run(["check", "bad.py"]);
    ends(
        &full,
        1,
        " --> bad.py:2:14\n2 | name = 'é' + eval('2')\n  |              ^^^^\n",
    );
    let json = shop.run(["check", "bad.py", "--output-format", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["files"][0]["findings"][0]["column"], 14);
    let sarif = shop.run(["check", "bad.py", "--output-format", "sarif"]);
    let sarif: Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(sarif["runs"][0]["columnKind"], "unicodeCodePoints");
    let place = "/runs/0/results/0/locations/0/physicalLocation/region/startColumn";
    assert_eq!(sarif.pointer(place).unwrap(), 14);
    let github = shop.run(["check", "bad.py", "--output-format", "github"]);
    ends(
        &github,
        1,
        "::error file=bad.py,line=2,col=14,endLine=2,endColumn=18,title=PY210 ",
    );
}

#[test]
fn what_a_name_or_a_source_holds_drives_no_terminal_and_no_workflow() {
    let shop = Workshop::new();
    let name = "a\n::error::x\x1b[2J,:%.py";
    shop.file(name, "x = '\x1b[31m' + eval(1)\n");
    for format in FORMATS {
        let done = shop.run(["check", name, "--output-format", format]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(!done.stdout.contains('\x1b'), "{format}: {done:?}");
        assert!(!done.stdout.contains("\n::error::x"), "{format}: {done:?}");
    }
}

#[test]
fn rules_and_policies_are_shown() {
    let shop = Workshop::new();
    ends(
        &shop.run(["check", "--explain", "py201"]),
        0,
        "private-attribute",
    );
    let all = shop.run(["check", "--explain", "all"]);
    ends(&all, 0, NOTICE);
    assert!(all.stdout.lines().count() > 30, "{all:?}");
    let shown = shop.run(["check", "--show-policy", "--profile", "automation"]);
    ends(&shown, 0, "\"read_csv\"");
    assert!(
        shown.stdout.ends_with(&format!("# {NOTICE}\n")),
        "{shown:?}"
    );
    // What is shown is a policy, and the same.
    shop.file("p.toml", &shown.stdout);
    let again = shop.run(["check", "--show-policy", "--policy", "p.toml"]);
    assert_eq!(again.stdout, shown.stdout);
}

#[test]
fn what_a_policy_suppresses_is_counted_and_the_reason_kept() {
    let shop = shop();
    let text = "[[suppress]]\nrule = 'PY210'\nfile = 'bad.py'\nreason = 'seen by Ada'\n";
    shop.file("p.toml", text);
    let done = shop.run(["check", "bad.py", "--policy", "p.toml"]);
    ends(&done, 0, "1 suppressed by the policy");
    let args = [
        "check",
        "bad.py",
        "--policy",
        "p.toml",
        "--output-format",
        "sarif",
    ];
    ends(&shop.run(args), 0, "seen by Ada");
}

#[test]
fn a_run_is_refused_for_what_the_check_finds_in_the_bytes_that_would_run() {
    let shop = Workshop::new();
    shop.file(
        "p.toml",
        "extends = 'notebook-pure'\n[modules.helper]\nnames = ['f']\n",
    );
    let check = ["--check", "p.toml"];
    let done = shop.job("import stockade_guest as g\ng.emit(6 * 7)\n", &check);
    ends(&done, 0, "42");
    let done = shop.job("import os\n", &check);
    ends(
        &done,
        65,
        "line 1: `os` is not in the policy's list of modules (PY310)",
    );
    let source = b"import stockade_guest as g\ng.emit(().__class__)\n";
    let done = shop.pipe(&["run", "-", "--check", "p.toml"], source);
    ends(&done, 65, "PY201");
    // A file that the program can import is looked at as well.
    shop.file("helper.py", "def f():\n    return eval('1')\n");
    let uses = "import stockade_guest as g\nfrom helper import f\ng.emit(f())\n";
    let done = shop.job(uses, &["--check", "p.toml", "--file", "helper.py"]);
    ends(
        &done,
        65,
        "`helper.py` does not pass `p.toml`: line 2: `eval`",
    );
    shop.file("helper.py", "def f():\n    return 5\n");
    let done = shop.job(uses, &["--check", "p.toml", "--file", "helper.py"]);
    ends(&done, 0, "5");
    // One that it can import and that is no text is not let through unread.
    shop.file("json.so", "");
    let done = shop.job("1", &["--check", "p.toml", "--file", "json.so"]);
    ends(&done, 65, "json.so");
    let done = shop.job("1", &["--check", "missing.toml"]);
    ends(&done, 64, "missing.toml");
    shop.file("f.formula", "1 + 1");
    ends(
        &shop.run(["run", "f.formula", "--check", "p.toml"]),
        64,
        "--check",
    );
    // The plan of what is refused is refused.
    shop.file("job.py", "import os\n");
    ends(
        &shop.run(["explain", "job.py", "--check", "p.toml"]),
        65,
        "PY310",
    );
}

#[test]
fn what_the_templates_interpreter_cannot_read_is_refused_whatever_the_policy_names() {
    let shop = Workshop::new();
    // Debian 12 has Python 3.11.
    shop.file("p.toml", "python = \"3.14\"\n");
    let newer = "try:\n    print(1)\nexcept ValueError, TypeError:\n    print(2)\n";
    shop.file("newer.py", newer);
    ends(
        &shop.run(["check", "newer.py", "--policy", "p.toml"]),
        0,
        "nothing found",
    );
    ends(&shop.job(newer, &["--check", "p.toml"]), 65, "PY102");
}
