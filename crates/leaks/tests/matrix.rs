//! The demonstration on this host: what it says is so.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![forbid(unsafe_code)]

use stockade::{Engine, Host, LADDER, Language};
use stockade_leaks::{
    Demonstration, Install, Place, Row, Sandbox, Technique, Through, Verdict, Wanted,
};

const HOME_MADE: [Sandbox; 4] = [
    Sandbox::Exec,
    Sandbox::Blocklist,
    Sandbox::EmptiedBuiltins,
    Sandbox::AstFilter,
];

/// Attacks a Python that supervises from another process. Here nobody does.
const SUPERVISED: &str = "escape/062";

/// What reaches nothing in a home-made sandbox on some host, and what that host says then.
const EXCUSED: [(&str, &str); 3] = [
    // The guards are `RestrictedPython`'s, and 9.0 refuses their names.
    ("escape/046", "this writes no guards"),
    ("escape/047", "this writes no guards"),
    ("escape/060", "`numpy` is not installed"),
];

fn shown(sandboxes: &[Sandbox], rungs: bool, install: Install) -> Demonstration {
    let engine = Engine::new(Host::probe().unwrap()).unwrap();
    let ladder = LADDER.iter().filter(|_| rungs);
    let wanted = Wanted {
        sandboxes: sandboxes.to_vec(),
        rungs: ladder.map(|rung| rung.spec()).collect(),
        techniques: Technique::named(&[]).unwrap(),
        install,
    };
    let shown = Demonstration::of(&engine, &wanted, &mut |_, _| {}).unwrap();
    for row in &shown.rows {
        assert_eq!(row.cells.len(), shown.columns.len());
        for cell in &row.cells {
            let id = &row.technique.id;
            assert_ne!(cell.verdict, Verdict::Failed, "{id}: {}", cell.why);
        }
    }
    shown
}

fn has(row: &Row, verdict: Verdict) -> bool {
    row.cells.iter().any(|cell| cell.verdict == verdict)
}

#[test]
fn each_technique_reaches_something_of_a_home_made_sandbox_or_it_is_known_why_not() {
    let shown = shown(&HOME_MADE, false, Install::Never);
    for row in &shown.rows {
        let id = row.technique.id.as_str();
        let control = &row.cells[0];
        if control.why.starts_with("it needs Python 3.") || id == SUPERVISED {
            assert!(!has(row, Verdict::Reached), "{id}");
            continue;
        }
        match EXCUSED.iter().find(|(excused, _)| *excused == id) {
            Some((_, why)) if !has(row, Verdict::Reached) => {
                assert!(control.why.starts_with(why), "{id}: {}", control.why);
            }
            Some(_) | None => {
                assert_eq!(control.verdict, Verdict::Reached, "{id}: {}", control.why);
            }
        }
    }
    // What each lets through differs, and none but the control lets all through.
    for (column, sandbox) in HOME_MADE.iter().enumerate().skip(1) {
        let name = sandbox.name();
        assert!(shown.count(column, Verdict::Reached) >= 15, "{name}");
        assert!(shown.count(column, Verdict::Stopped) >= 5, "{name}");
    }
}

#[test]
fn no_technique_reaches_the_trusted_process_from_a_rung() {
    let shown = shown(&[], true, Install::Never);
    assert_eq!(shown.reached_rungs(), Vec::<&str>::new());
    assert_eq!(shown.columns.len(), LADDER.len());
    for (at, column) in shown.columns.iter().enumerate() {
        let Place::Rung(spec) = column.place else {
            panic!("{} is no rung", column.name());
        };
        if let Some(why) = &column.skipped {
            println!("skipped: {}: {why}", column.name());
            // `process` may lack the right to the interpreter; a host that has a jail shows it.
            let host = Host::probe().unwrap();
            let lacks = (spec.missing)(host.facts()).is_some();
            assert!(lacks || spec.name == "process", "{why}");
            continue;
        }
        assert!(shown.count(at, Verdict::Stopped) >= 50, "{}", column.name());
        // They do run there, and get hold of what their own guest has.
        let held = |row: &&Row| {
            row.cells[at]
                .why
                .starts_with("in the guest, which is gone: ")
        };
        let inside = shown.rows.iter().filter(held).count();
        let python = spec.languages.contains(&Language::Python);
        assert!(
            if python { inside >= 40 } else { inside == 0 },
            "{}",
            spec.name
        );
    }
}

#[test]
fn the_figures_are_those_that_are_quoted() {
    let shown = shown(&[], false, Install::Never);
    let figures = &shown.figures;
    println!("{figures:?}");
    assert!(figures.subclasses > 100);
    assert!(figures.helper_builtins_are_real);
    assert!(!figures.generator_builtins_are_real);
    assert!(figures.libc_symbols.syscall && figures.libc_symbols.getpid);
    assert!(figures.libc_getpid_is_ours);
    assert!(figures.version.starts_with("3."), "{}", figures.version);
}

#[test]
fn what_is_said_of_the_packages_is_so() {
    let packages = [
        Sandbox::RestrictedPython,
        Sandbox::Asteval,
        Sandbox::Simpleeval,
    ];
    let shown = shown(&packages, false, Install::Missing);
    if let Some(why) = &shown.columns[0].skipped {
        // The whole suite runs without a network.
        println!("skipped: {why}");
        assert!(why.starts_with("cannot be installed: "), "{why}");
        return;
    }
    for row in &shown.rows {
        for (column, cell) in shown.columns.iter().zip(&row.cells) {
            // Nothing gets through by what these forbid themselves.
            let (id, name) = (&row.technique.id, column.name());
            assert_ne!(
                cell.through,
                Some(Through::Sandbox),
                "{id} on {name}: {}",
                cell.why
            );
        }
    }
    let by = |through| {
        let cells = shown.rows.iter().map(|row| &row.cells[0]);
        cells.filter(|cell| cell.through == Some(through)).count()
    };
    assert!(by(Through::ImportPolicy) >= 6);
    assert_eq!(by(Through::Resources), 2);
    assert_eq!(shown.count(2, Verdict::Reached), 0);
}
