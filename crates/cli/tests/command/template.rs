//! `stockade template`: what it builds, what it refuses, and what it leaves.

mod kept;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::shop::{HELLO, Shop, hello, names};
use crate::workshop::{Done, STOCKADE};

#[test]
fn a_template_holds_its_packages_files_and_settings() {
    let (shop, _) = hello("hi");
    shop.workshop.file("table.csv", "a,b");
    let file = shop.described(
        "greeting",
        "base = 'host'\ndescription = 'says a word'\npackages = ['hello==1.0']\n\
         preload = ['hello']\nenv = { MODE = 'fast' }\n\
         files = { '/opt/data/t.csv' = 'table.csv' }\n\
         limits = { memory = '700MiB', wall = '9s' }\n",
    );
    let digest = shop.built(&file);
    let source = "import hello, os, stockade_guest as g\n\
                  g.emit([hello.WORD, os.environ['MODE'], open('/opt/data/t.csv').read(),\n\
                  hello.__cached__ and os.path.exists(hello.__cached__)])";
    assert_eq!(
        shop.value("greeting", source),
        r#"["hi","fast","a,b",true]"#
    );
    let shown = shop.must(&["show", "greeting", "--format", "json"]).json();
    assert_eq!(shown["digest"], digest.as_str());
    assert_eq!(shown["packages"]["hello"], "1.0");
    assert_eq!(
        shown["preload"],
        serde_json::json!(["stockade_guest", "hello"])
    );
    assert_eq!(shown["standing"], "ready");
    let found = shop.build(&file).json();
    assert_eq!(
        (&found["found"], &found["digest"]),
        (&true.into(), &digest.into())
    );
}

#[test]
fn its_limits_stand_between_those_asked_for_and_the_table() {
    let shop = Shop::new();
    let file = shop.described(
        "tight",
        "base = 'host'\nlimits = { memory = '700MiB', wall = '9s' }",
    );
    shop.built(&file);
    shop.workshop.file("job.py", "pass");
    let explain = [
        "explain",
        "job.py",
        "--template",
        "tight",
        "--limit",
        "wall=3s",
    ];
    let text = shop.run(explain).stdout;
    let row = |name: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned()
    };
    assert!(row("memory ").contains("700MiB"), "{text}");
    assert!(row("wall ").contains(" 3s"), "{text}");
    assert!(row("cpu ").contains("20s"), "{text}");
}

#[test]
fn the_same_inputs_give_the_same_digest_and_others_another() {
    let (one, file) = hello("hi");
    let (two, _) = hello("hi");
    let digest = one.built(&file);
    assert_eq!(digest, two.built(&file));
    let again = two.described(
        "greeting",
        "base = 'host'\npackages = ['hello']\npreload = []",
    );
    assert_ne!(
        digest,
        two.built(&again),
        "the modules to preload are part of it"
    );
    let (three, _) = hello("ho");
    assert_ne!(digest, three.built(&file));
}

#[test]
fn a_mistake_in_the_file_is_told_with_key_and_line() {
    let shop = Shop::new();
    shop.workshop
        .file("bad.toml", "base = 'host'\npakages = ['numpy']\n");
    let parts = ["`bad.toml`, line 2: ", "`pakages`", "`packages`"];
    shop.template(&["build", "bad.toml"]).refuses(64, &parts);
    shop.template(&["build", "none.toml"])
        .refuses(71, &["`none.toml`"]);
    shop.workshop.file("python.toml", "base = 'host'");
    shop.template(&["build", "python.toml"])
        .refuses(64, &["comes with Stockade", "`name = "]);
    assert_eq!(shop.kept(), [""; 0]);
}

#[test]
fn a_package_without_a_wheel_is_named() {
    let shop = Shop::new();
    // A source distribution, which would have to be built.
    shop.workshop.file("wheels/sdist-1.0.tar.gz", "no wheel");
    shop.workshop
        .file("some.toml", "base = 'host'\npackages = ['sdist']");
    let parts = ["`sdist` has no wheel", "hint: only wheels"];
    shop.template(&["lock", "some.toml", "--find-links", "wheels"])
        .refuses(69, &parts);
    assert_eq!(shop.kept(), [""; 0]);
    assert!(!shop.workshop.path().join("some.lock").exists());
    shop.build("some.toml")
        .refuses_json(64, &["has packages and no lock"]);
}

#[test]
fn a_wheel_that_is_not_the_one_of_the_lock_is_refused() {
    let (shop, file) = hello("hi");
    shop.wheel("hello", "1.0", &["hello/__init__.py=WORD = 'evil'"]);
    let parts = ["`hello` 1.0 is not the one that the lock pins"];
    shop.build(&file).refuses_json(69, &parts);
    assert_eq!(shop.kept(), [""; 0]);
    assert_eq!(names(&shop.cache().join("wheels")), [""; 0]);
    // The control: with the lock written anew it is taken.
    shop.must(&["lock", &file, "--find-links", "wheels"]);
    shop.built(&file);
    assert_eq!(shop.value("greeting", HELLO), "\"evil\"");
}

#[test]
fn a_lock_of_other_packages_or_another_python_is_refused() {
    let (shop, file) = hello("hi");
    shop.workshop
        .file(&file, "base = 'host'\npackages = ['hello', 'more']");
    shop.build(&file).refuses_json(64, &["other packages"]);
    let (shop, file) = hello("hi");
    let lock = shop.workshop.path().join("greeting.lock");
    let text = fs::read_to_string(&lock).unwrap();
    let python = text
        .lines()
        .find(|line| line.starts_with("python"))
        .unwrap();
    fs::write(&lock, text.replace(python, "python = \"3.99\"")).unwrap();
    shop.build(&file).refuses_json(69, &["for Python 3.99 on"]);
    assert_eq!(shop.kept(), [""; 0]);
}

#[test]
fn no_code_of_a_package_runs_before_it_is_in_a_boundary() {
    let shop = Shop::new();
    let witness = shop.workshop.path().join("witness");
    let code = format!("open({witness:?}, 'w').write('ran')");
    let files = [
        format!("evil/__init__.py={code}"),
        format!("evil.pth=import os; {code}"),
        format!("sitecustomize.py={code}"),
    ];
    let files: Vec<_> = files.iter().map(String::as_str).collect();
    shop.wheel("evil", "1.0", &files);
    let file = shop.described(
        "evil",
        "base = 'host'\npackages = ['evil']\npreload = ['evil']",
    );
    // In the boundary it runs, and finds no such directory.
    shop.build(&file)
        .refuses_json(69, &["cannot import `evil`", "FileNotFoundError"]);
    assert!(!witness.exists());
}

#[test]
fn what_cannot_be_preloaded_is_named_and_nothing_is_left() {
    let shop = Shop::new();
    let thread = "import threading, time\n\
                  threading.Thread(target=time.sleep, args=[99], daemon=True).start()";
    shop.wheel("busy", "1.0", &[&format!("busy/__init__.py={thread}")]);
    shop.wheel("torn", "1.0", &["torn/__init__.py=import nowhere"]);
    for (name, why) in [
        (
            "busy",
            "`busy`, which template `t` preloads, starts a thread",
        ),
        ("torn", "No module named 'nowhere'"),
    ] {
        let text = format!("base = 'host'\npackages = ['{name}']\npreload = ['json', '{name}']");
        let file = shop.described("t", &text);
        shop.build(&file).refuses_json(69, &[why]);
        assert_eq!(shop.kept(), [""; 0]);
    }
}

#[test]
fn a_package_may_not_replace_what_is_ours() {
    let shop = Shop::new();
    shop.wheel("mine", "1.0", &["stockade_guest.py=emit = print"]);
    let file = shop.described("mine", "base = 'host'\npackages = ['mine']");
    let parts = ["two things want to be", "stockade_guest."];
    shop.build(&file).refuses_json(64, &parts);
    assert_eq!(shop.kept(), [""; 0]);
}

#[test]
fn a_template_that_outgrows_its_size_is_refused() {
    let shop = Shop::new();
    for (size, words) in [
        ("size = { bytes = '1MiB' }", "1048576 bytes"),
        ("size = { entries = 10 }", "10 entries"),
    ] {
        let file = shop.described("big", &format!("base = 'host'\n{size}"));
        shop.build(&file).refuses_json(64, &["does not fit", words]);
    }
    assert_eq!(shop.kept(), [""; 0]);
}

#[test]
fn a_full_disk_is_named_and_leaves_nothing() {
    let shop = Shop::new();
    shop.wheel(
        "huge",
        "1.0",
        &[&format!("huge/__init__.py=X = '{}'", "x".repeat(100_000))],
    );
    shop.described("huge", "base = 'host'\npackages = ['huge']");
    fs::create_dir_all(shop.cache()).unwrap();
    fs::set_permissions(shop.cache(), fs::Permissions::from_mode(0o755)).unwrap();
    // The interpreter does not fit; then it does, and pip does not.
    for size in ["4m", "40m"] {
        let fill = if size == "40m" {
            "fallocate -l 14m $C/fill;"
        } else {
            ""
        };
        let script = format!(
            "C={cache}; mount -t tmpfs -o mode=755,size={size} none $C || exit 99; {fill}\n\
             {STOCKADE} template build huge.toml --find-links wheels >&2; code=$?\n\
             ls -A $C/templates | grep -v '^.lock'; exit $code",
            cache = shop.cache().display(),
        );
        let mut command = Command::new("/usr/bin/unshare");
        command
            .args(["-r", "-m", "/bin/sh", "-c", &script])
            .current_dir(shop.workshop.path())
            .env("STOCKADE_CACHE_DIR", shop.cache());
        if crate::workshop::is_root() {
            command = without_user_namespace(&shop, &script);
        }
        let done = Done::of(&command.output().unwrap());
        assert_eq!(done.code, Some(71), "{size}: {done:?}");
        assert!(
            done.stderr.contains("No space left on device"),
            "{size}: {done:?}"
        );
        assert!(done.stderr.contains("hint: "), "{size}: {done:?}");
        assert_eq!(done.stdout, "", "{size}: {done:?}");
    }
}

fn without_user_namespace(shop: &Shop, script: &str) -> Command {
    let mut command = Command::new("/usr/bin/unshare");
    command
        .args(["-m", "/bin/sh", "-c", script])
        .current_dir(shop.workshop.path())
        .env("STOCKADE_CACHE_DIR", shop.cache());
    command
}

#[test]
fn other_names_of_python_are_python() {
    let shop = Shop::new();
    for name in ["python", "base", "ubuntu-24.04"] {
        let source = "import sys, stockade_guest as g\ng.emit(sys.version_info[0])";
        assert_eq!(shop.value(name, source), "3", "{name}");
    }
    let kept = shop.kept();
    assert_eq!(kept.len(), 2, "a manifest and a tree: {kept:?}");
    shop.template(&["remove", "base"])
        .refuses(64, &["cannot be removed"]);
}

#[test]
fn a_template_that_is_not_there_says_how_to_get_it() {
    let shop = Shop::new();
    let done = shop.job("code-interpreter", "pass");
    done.refuses(
        69,
        &["is not built", "`stockade template build code-interpreter`"],
    );
    let done = shop.job("nonsense", "pass");
    done.refuses(64, &["no template named `nonsense`", "`code-interpreter`"]);
    for verb in ["show", "verify", "remove"] {
        shop.template(&[verb, "nonsense"])
            .refuses(64, &["no template named `nonsense`"]);
    }
    let source = shop.must(&["show", "code-interpreter", "--source"]);
    assert!(source.stdout.contains("\"scikit-learn\""), "{source:?}");
    let list = shop.must(&["list", "--format", "json"]).json();
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(
        names,
        ["base", "code-interpreter", "python", "ubuntu-24.04"]
    );
}

#[test]
fn progress_is_told_in_plain_lines_where_there_is_no_terminal() {
    let (shop, file) = hello("hi");
    let done = shop.build(&file);
    let lines: Vec<_> = done.stderr.lines().collect();
    assert!(lines.contains(&"fetch the packages"), "{done:?}");
    assert!(lines.contains(&"  hello 1.0"), "{done:?}");
    assert!(
        !done.stderr.contains('\x1b') && !done.stderr.contains('\r'),
        "{done:?}"
    );
}

#[test]
fn a_rung_that_has_the_hosts_root_refuses_what_only_a_template_holds() {
    if !crate::workshop::is_root() {
        println!("skipped: rung `process` needs root");
        return;
    }
    let (shop, file) = hello("hi");
    shop.built(&file);
    shop.workshop.file("job.py", HELLO);
    let args = [
        "run",
        "job.py",
        "--rung",
        "process",
        "--template",
        "greeting",
    ];
    let words = "not those of template `greeting`";
    shop.run(args).refuses(69, &[words]);
}
