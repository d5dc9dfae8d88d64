//! Templates that are made of images: real ones, built here from the host's own Python.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::shop::{Shop, names};

const WHERE: &str = "import os, sys, stockade_guest as g\n\
                     g.emit([sys.version_info[:2] >= (3, 9), os.path.exists('/etc/layer'),\n\
                     os.path.exists('/etc/hosts'), os.path.exists('/root-file'),\n\
                     os.getuid(), __import__('pwd').getpwuid(os.getuid()).pw_name])";

/// A layer that holds a whole root file system, made once: the tree of template `python` and the
/// standard library that belongs to it.
fn rootfs() -> &'static PathBuf {
    static MADE: OnceLock<(Shop, PathBuf)> = OnceLock::new();
    let (_, path) = MADE.get_or_init(|| {
        let shop = Shop::new();
        shop.must(&["build", "python"]);
        let templates = shop.cache().join("templates");
        let kept = names(&templates);
        let tree = kept.iter().find(|name| name.len() == 64).unwrap();
        let tree = templates.join(tree).join("root");
        shop.material(&["rootfs", "rootfs.tar", tree.to_str().unwrap()]);
        let path = shop.workshop.path().join("rootfs.tar");
        (shop, path)
    });
    path
}

/// A shop with `image.tar`, of the root file system and a layer over it.
fn imaged(form: &str) -> Shop {
    let shop = Shop::new();
    shop.material(&[
        "small",
        "over.tar",
        "etc/layer=x",
        "etc/.wh.hosts=",
        "root-file=x",
    ]);
    shop.material(&[form, "image.tar", rootfs().to_str().unwrap(), "over.tar"]);
    shop
}

#[test]
fn an_image_runs_in_either_form() {
    for form in ["oci", "docker"] {
        let shop = imaged(form);
        let file = shop.described("imaged", "base = { image = 'image.tar' }");
        shop.built(&file);
        // Stockade's own `/etc/hosts` takes the place of what the layer took away.
        assert_eq!(
            shop.value("imaged", WHERE),
            r#"[true,true,true,false,1000,"sandbox"]"#,
            "{form}"
        );
        shop.must(&["verify", "imaged"]);
    }
}

#[test]
fn an_image_takes_packages_that_are_compiled_for_it() {
    let shop = imaged("oci");
    shop.wheel("hello", "1.0", &["hello/__init__.py=WORD = 'hi'"]);
    let file = shop.described(
        "imaged",
        "base = { image = 'image.tar' }\npackages = ['hello']\npreload = ['hello']",
    );
    shop.built(&file);
    let source = "import hello, os, stockade_guest as g\n\
                  g.emit([hello.WORD, os.path.exists(hello.__cached__)])";
    assert_eq!(shop.value("imaged", source), r#"["hi",true]"#);
}

#[test]
fn a_tar_and_a_directory_of_the_same_run_as_well() {
    let shop = Shop::new();
    let tar = format!("base = {{ tar = '{}' }}", rootfs().display());
    let file = shop.described("tarred", &tar);
    let digest = shop.built(&file);
    let source = "import stockade_guest as g\ng.emit(6 * 7)";
    assert_eq!(shop.value("tarred", source), "42");
    fs::create_dir(shop.workshop.path().join("tree")).unwrap();
    let mut command = std::process::Command::new("/bin/tar");
    let done = command
        .args(["-xf", rootfs().to_str().unwrap(), "-C", "tree"])
        .current_dir(shop.workshop.path())
        .status();
    assert!(done.unwrap().success());
    let file = shop.described("copied", "base = { directory = 'tree' }");
    assert_eq!(shop.built(&file), digest, "the same content");
    assert_eq!(shop.value("copied", source), "42");
}

#[test]
fn an_image_whose_python_is_too_old_or_missing_is_refused() {
    let shop = Shop::new();
    let old = "usr/bin/old=#!/bin/sh\necho '{\"version\":[3,8,1],\"platform\":\"linux-x86_64\",\
               \"glibc\":null,\"sites\":[\"/usr/lib/python3/dist-packages\"]}' > $3\n";
    shop.material(&[
        "small",
        "over.tar",
        old,
        "usr/bin/odd=#!/bin/sh\necho no >&2; exit 3\n",
    ]);
    shop.material(&["oci", "image.tar", rootfs().to_str().unwrap(), "over.tar"]);
    for (python, words) in [
        (
            "/usr/bin/old",
            "is Python 3.8; a template needs 3.9 or later",
        ),
        ("/usr/bin/odd", "cannot start `/usr/bin/odd` of the image"),
        (
            "/usr/bin/none",
            "the image has no Python at `/usr/bin/none`",
        ),
    ] {
        let text = format!("base = {{ image = 'image.tar' }}\npython = '{python}'");
        let file = shop.described("imaged", &text);
        shop.build(&file).refuses_json(69, &[words]);
        assert_eq!(shop.kept(), [""; 0]);
    }
}

#[test]
fn an_image_that_lies_about_its_python_reaches_nothing_of_the_host() {
    let shop = Shop::new();
    let witness = shop.workshop.path().join("witness");
    let lie = format!(
        "usr/bin/liar=#!/bin/sh\ntouch {}\necho '{{\"version\":[3,11,2],\"platform\":\
         \"linux-x86_64\",\"glibc\":null,\"sites\":[\"/usr/../../../../tmp/x\",\"{}\"]}}' > $3\n",
        witness.display(),
        shop.workshop.path().join("site").display(),
    );
    shop.material(&["small", "over.tar", &lie, "etc.d/x=1"]);
    shop.material(&["oci", "image.tar", rootfs().to_str().unwrap(), "over.tar"]);
    let file = shop.described(
        "imaged",
        "base = { image = 'image.tar' }\npython = '/usr/bin/liar'",
    );
    let done = shop.build(&file);
    assert_ne!(done.code, Some(0), "it imports nothing: {done:?}");
    assert!(!witness.exists());
    assert!(!shop.workshop.path().join("site").exists());
    assert_eq!(shop.kept(), [""; 0]);
}
