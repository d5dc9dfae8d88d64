//! What is kept of templates: shared, verified, damaged, left, taken away.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::shop::{HELLO, hello, names};
use crate::workshop::Done;

#[test]
fn a_kept_wheel_that_was_changed_is_fetched_again() {
    let (shop, file) = hello("hi");
    let digest = shop.built(&file);
    let kept = shop.cache().join("wheels");
    let place = kept
        .join(&names(&kept)[0])
        .join("hello-1.0-py3-none-any.whl");
    fs::write(&place, "no zip").unwrap();
    shop.must(&["remove", "greeting"]);
    assert_eq!(shop.built(&file), digest);
}

#[test]
fn several_builders_at_once_make_one_tree() {
    let (shop, file) = hello("hi");
    let args = [
        "template",
        "build",
        &file,
        "--find-links",
        "wheels",
        "--format",
        "json",
    ];
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = shop.command(args);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let done: Vec<_> = children
        .into_iter()
        .map(|child| Done::of(&child.wait_with_output().unwrap()).json())
        .collect();
    let built = done.iter().filter(|one| one["found"] == false).count();
    assert_eq!(built, 1, "{done:?}");
    assert!(
        done.windows(2)
            .all(|pair| pair[0]["digest"] == pair[1]["digest"]),
        "{done:?}"
    );
    assert_eq!(
        shop.kept().len(),
        2,
        "a manifest and a tree: {:?}",
        shop.kept()
    );
}

#[test]
fn what_a_killed_builder_left_goes_with_the_next() {
    let (shop, file) = hello("hi");
    // pip waits where its wheel should be, and so does the builder.
    let wheel = shop
        .workshop
        .path()
        .join("wheels/hello-1.0-py3-none-any.whl");
    let real = fs::read(&wheel).unwrap();
    fs::remove_file(&wheel).unwrap();
    let fifo = Command::new("/usr/bin/mkfifo")
        .arg(&wheel)
        .status()
        .unwrap();
    assert!(fifo.success());
    let mut command = shop.command(["template", "build", &file, "--find-links", "wheels"]);
    let mut builder = command.stderr(Stdio::null()).spawn().unwrap();
    // Returns when pip has opened the other end.
    let opened = fs::OpenOptions::new().write(true).open(&wheel).unwrap();
    builder.kill().unwrap();
    builder.wait().unwrap();
    drop(opened);
    let left = |name: &String| name.starts_with(".build-");
    assert!(
        shop.kept().iter().any(left),
        "the control: {:?}",
        shop.kept()
    );
    fs::remove_file(&wheel).unwrap();
    fs::write(&wheel, real).unwrap();
    shop.built(&file);
    assert!(!shop.kept().iter().any(left), "{:?}", shop.kept());
    assert_eq!(shop.value("greeting", HELLO), "\"hi\"");
}

#[test]
fn verify_names_each_thing_that_changed() {
    let (shop, file) = hello("hi");
    let digest = shop.built(&file);
    shop.must(&["verify", "greeting"]);
    let tree = shop.cache().join("templates").join(digest);
    let find = |name: &str| {
        let mut command = Command::new("/usr/bin/find");
        let found = command.arg(&tree).args(["-name", name]).output().unwrap();
        String::from_utf8(found.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    };
    let module = find("stockade_guest.py");
    let mut opened = fs::OpenOptions::new().append(true).open(module).unwrap();
    opened.write_all(b"#").unwrap();
    fs::remove_file(tree.join("root/etc/hosts")).unwrap();
    fs::set_permissions(
        tree.join("root/etc/passwd"),
        fs::Permissions::from_mode(0o4755),
    )
    .unwrap();
    fs::write(tree.join("root/etc/extra"), "").unwrap();
    let done = shop.template(&["verify", "greeting"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for part in [
        "stockade_guest.py` has changed",
        "`/etc/hosts` is missing",
        "`/etc/passwd` has changed",
        "`/etc/extra` was not there",
        "4 faults",
    ] {
        assert!(done.stdout.contains(part), "{part}: {done:?}");
    }
}

#[test]
fn a_copied_cache_is_read_once_before_it_is_used() {
    let (shop, file) = hello("hi");
    let digest = shop.built(&file);
    let copy = |from: &str, to: &str| {
        let mut command = Command::new("/bin/cp");
        let done = command
            .args(["-a", from, to])
            .current_dir(shop.cache().join("templates"))
            .status();
        assert!(done.unwrap().success());
    };
    let place = shop.cache().join("templates").join(&digest);
    copy(&digest, "copy");
    fs::remove_dir_all(&place).unwrap();
    copy("copy", &digest);
    assert_eq!(shop.value("greeting", HELLO), "\"hi\"");
    // A copy that was tampered with is not used.
    fs::remove_dir_all(&place).unwrap();
    fs::write(
        shop.cache().join("templates/copy/root/etc/hosts"),
        "127.0.0.1 evil",
    )
    .unwrap();
    copy("copy", &digest);
    let done = shop.job("greeting", HELLO);
    assert_eq!(done.code, Some(69), "{done:?}");
    assert!(
        done.stderr.contains("its tree is damaged: `/etc/hosts`"),
        "{done:?}"
    );
    fs::remove_dir_all(shop.cache().join("templates/copy")).unwrap();
    assert_eq!(shop.built(&file), digest, "building mends it");
    assert_eq!(shop.value("greeting", HELLO), "\"hi\"");
}

#[test]
fn a_tree_in_use_stays_until_it_is_not() {
    let (shop, file) = hello("hi");
    shop.built(&file);
    let source = "import time\nprint('here', flush=True)\nwhile True: time.sleep(1)";
    shop.workshop.file("job.py", source);
    let args = ["run", "job.py", "--template", "greeting", "--no-value"];
    let mut runs = shop.command(args);
    let mut runs = runs
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(runs.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "here\n");
    let done = shop.must(&["remove", "greeting"]);
    assert!(done.stdout.contains("still in use"), "{done:?}");
    let pruned = shop.must(&["prune", "--format", "json"]).json();
    assert_eq!(
        (&pruned["in_use"], &pruned["trees"]),
        (&1.into(), &0.into())
    );
    runs.kill().unwrap();
    runs.wait().unwrap();
    let pruned = shop.must(&["prune", "--format", "json"]).json();
    assert_eq!(
        (&pruned["in_use"], &pruned["trees"]),
        (&0.into(), &1.into())
    );
    assert_eq!(shop.kept(), [""; 0]);
}

#[test]
fn prune_takes_what_nothing_refers_to_and_nothing_else() {
    let (shop, file) = hello("hi");
    shop.built(&file);
    shop.wheel("hello", "1.1", &["hello/__init__.py=WORD = 'later'"]);
    shop.must(&["lock", &file, "--find-links", "wheels"]);
    let later = shop.built(&file);
    let pruned = shop.must(&["prune", "--format", "json"]).json();
    assert_eq!(
        (&pruned["trees"], &pruned["wheels"]),
        (&1.into(), &1.into())
    );
    assert!(shop.kept().contains(&later), "{:?}", shop.kept());
    assert_eq!(shop.value("greeting", HELLO), "\"later\"");
    let again = shop.must(&["prune", "--format", "json"]).json();
    assert_eq!((&again["trees"], &again["bytes"]), (&0.into(), &0.into()));
}

#[test]
fn a_source_that_changed_asks_for_another_build() {
    let (shop, file) = hello("hi");
    shop.built(&file);
    let manifest = shop.cache().join("templates/greeting.template.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let sources = text.find("\"sources\"").unwrap();
    let changed = text[sources..].replacen("\"inode\":", "\"inode\":1", 1);
    fs::write(&manifest, format!("{}{changed}", &text[..sources])).unwrap();
    let done = shop.job("greeting", HELLO);
    done.refuses(
        69,
        &["must be built again: the Python that it was built from has changed"],
    );
    let shown = shop.must(&["show", "greeting", "--format", "json"]).json();
    assert_eq!(shown["standing"], "to be built again");
    shop.built(&file);
    assert_eq!(shop.value("greeting", HELLO), "\"hi\"");
}

#[test]
fn a_name_that_is_a_path_names_nothing() {
    let (shop, file) = hello("hi");
    shop.built(&file);
    let templates = shop.cache().join("templates");
    // Found by its path, this would be a template of somebody else's making.
    fs::copy(
        templates.join("greeting.template.json"),
        shop.workshop.path().join("planted.template.json"),
    )
    .unwrap();
    for name in [
        "../../planted",
        "/tmp/planted",
        "..",
        "",
        "a/../greeting",
        "Greeting",
    ] {
        let told = format!("no template named `{name}`");
        shop.job(name, HELLO).refuses(64, &[&told]);
        for verb in ["show", "verify", "remove"] {
            shop.template(&[verb, name]).refuses(64, &[&told]);
        }
    }
    assert_eq!(shop.value("greeting", HELLO), "\"hi\"", "the control");
}
