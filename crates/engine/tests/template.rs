//! Prepares template `python` for every interpreter of this host and runs it in a bare root.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod python;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use stockade::template::{Search, prepare};
use stockade_core::error::ErrorKind;
use stockade_core::template::Template;

use python::{Scratch, chosen, interpreters, plain, prepared, run_in, text};

#[test]
fn a_prepared_tree_runs_everything_that_the_standard_library_offers() {
    for interpreter in interpreters() {
        let scratch = Scratch::new("runs");
        let template = prepared(&interpreter, &scratch.path.join("cache"));
        let done = run_in(
            &template,
            &scratch.path,
            include_str!("guest/everything.py"),
            &plain(&template),
        );
        let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
        println!("{}: {stdout}", interpreter.display());
        assert!(
            done.status.success(),
            "{}: {stdout} {stderr}",
            interpreter.display()
        );
        assert_eq!(stderr, "", "{}", interpreter.display());
        assert_eq!(
            fs::read_to_string(scratch.path.join("out.json")).unwrap(),
            "\"whole\""
        );
    }
}

#[test]
fn a_second_preparation_only_looks_and_gives_the_same() {
    let scratch = Scratch::new("again");
    let cache = scratch.path.join("cache");
    let first = prepared(Path::new("/usr/bin/python3"), &cache);
    let built = fs::metadata(&first.root).unwrap().modified().unwrap();
    let began = Instant::now();
    for _ in 0..100 {
        assert_eq!(prepared(Path::new("/usr/bin/python3"), &cache), first);
    }
    println!("found prepared in {:?}", began.elapsed() / 100);
    assert_eq!(
        fs::metadata(&first.root).unwrap().modified().unwrap(),
        built
    );
    assert!(first.root.ends_with(format!("{}/root", first.digest)));
    let sized = Template {
        root: first.root.join(".."),
        ..first
    };
    assert_eq!(
        fs::read_dir(sized.root).unwrap().count(),
        3,
        "root, empty and index"
    );
}

#[test]
fn a_changed_source_is_noticed_and_the_digest_with_it() {
    let scratch = Scratch::new("changed");
    let cache = scratch.path.join("cache");
    let real = fs::canonicalize("/usr/bin/python3").unwrap();
    // A copy beside the host's prefix would not find its library: a script stands before it.
    let shim = scratch.path.join("python3");
    fs::write(
        &shim,
        format!("#!/bin/sh\nexec {} \"$@\"\n", real.display()),
    )
    .unwrap();
    python::make_executable(&shim);
    let first = prepared(&shim, &cache);
    assert_eq!(first, prepared(&real, &cache), "a script is looked through");
    let manifest = manifest_of(&cache);
    let stored = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, stored.replace("\"inode\":", "\"inode\":1")).unwrap();
    assert_eq!(
        prepared(&real, &cache),
        first,
        "the same content has the same digest"
    );
    assert_eq!(
        fs::read_to_string(&manifest).unwrap(),
        stored,
        "it was built again"
    );
    fs::remove_dir_all(&first.root).unwrap();
    fs::create_dir_all(first.root.parent().unwrap()).unwrap();
    assert!(
        prepared(&real, &cache).root.join("usr").is_dir(),
        "a lost tree is made again"
    );
}

fn manifest_of(cache: &Path) -> PathBuf {
    let found = fs::read_dir(cache.join("templates"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    found
        .into_iter()
        .find(|path| path.extension() == Some(OsStr::new("json")))
        .unwrap()
}

#[test]
fn several_at_once_build_one_tree() {
    let scratch = Scratch::new("several");
    let cache = scratch.path.join("cache");
    let found: Vec<_> = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| prepared(Path::new("/usr/bin/python3"), &cache)))
            .collect();
        builds
            .into_iter()
            .map(|build| build.join().unwrap())
            .collect()
    });
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    let mut names: Vec<_> = fs::read_dir(cache.join("templates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 3, "a lock, a tree and a manifest: {names:?}");
}

#[test]
fn an_old_interpreter_and_an_unknown_name_are_refused() {
    let scratch = Scratch::new("refused");
    let search = Search::from_env();
    let error = prepare("pyton", &scratch.path, &search).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPolicy);
    assert_eq!(
        error.hints()[0],
        "this build knows `python`, `code-interpreter`, `ubuntu-24.04`, `base`"
    );
    match python::old_interpreter() {
        None => println!("skipped: refusing a real old interpreter, for there is none here"),
        Some(old) => {
            let cache = scratch.path.join("cache");
            let error = prepare("python", &cache, &chosen(&old)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused);
            assert!(error.to_string().contains("needs 3.9 or later"), "{error}");
        }
    }
}
