//! A daemon that is started by being of use.

use std::process::Command;

use super::den::Den;
use super::{JSON, was_warm};
use crate::workshop::Done;

/// A den with a template of its own, `small`, in a cache of its own.
struct Shop(Den);

impl Shop {
    fn new() -> Self {
        let shop = Self(Den::new());
        shop.0
            .file("job.py", "import stockade_guest as g; g.emit(1)");
        shop.0.file(
            "small.toml",
            "base = \"host\"\npreload = [\"json\", \"csv\"]\n",
        );
        let built = shop.done(&["template", "build", "small.toml"]);
        assert_eq!(built.code, Some(0), "{built:?}");
        shop
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(args);
        command.env("STOCKADE_CACHE_DIR", self.0.path().join("cache"));
        command
    }

    fn done(&self, args: &[&str]) -> Done {
        Done::of(&self.command(args).output().unwrap())
    }

    fn job(&self, more: &[&str]) -> Done {
        let args = [&["run", "job.py", "--template", "small"], &JSON[..], more].concat();
        let done = self.done(&args);
        assert_eq!(done.code, Some(0), "{done:?}");
        done
    }

    /// Waits until the template is warm.
    fn warmed(&self) {
        self.0.until(|status| {
            let kept = status["kept"].as_array();
            kept.is_some_and(|kept| {
                kept.iter()
                    .any(|one| one["template"] == "small" && one["warming"] == false)
            })
        });
    }
}

#[test]
fn the_first_run_of_a_template_that_takes_long_starts_a_daemon_for_the_next() {
    let shop = Shop::new();
    assert!(!was_warm(&shop.job(&["--cold"])));
    let mut alone = shop.command(&["run", "job.py", "--template", "small", "-q"]);
    let alone = alone.env("STOCKADE_NO_DAEMON", "1").output().unwrap();
    assert!(alone.status.success(), "{alone:?}");
    let python = shop.done(&["run", "job.py", "-q"]);
    assert_eq!(python.code, Some(0), "{python:?}");
    assert_eq!(shop.0.status()["running"], false, "none of them starts one");

    assert!(!was_warm(&shop.job(&[])));
    shop.warmed();
    assert!(was_warm(&shop.job(&[])));
}

#[test]
fn a_daemon_that_is_there_takes_another_template_on() {
    let shop = Shop::new();
    let warm = shop.done(&["warm"]);
    assert_eq!(warm.code, Some(0), "{warm:?}");
    assert!(!was_warm(&shop.job(&[])));
    shop.warmed();
    assert!(was_warm(&shop.job(&[])));
    let status = shop.0.status();
    assert_eq!(status["kept"].as_array().unwrap().len(), 2, "{status}");
}

#[test]
fn a_template_that_was_built_again_is_what_the_next_run_has() {
    let shop = Shop::new();
    let warm = shop.done(&["warm", "--template", "small"]);
    assert_eq!(warm.code, Some(0), "{warm:?}");
    let digest = |done: &Done| done.json()["evidence"]["template"]["digest"].clone();
    let before = shop.job(&[]);
    shop.0.file(
        "small.toml",
        "base = \"host\"\npreload = [\"json\"]\n\n[env]\nNOTE = \"new\"\n",
    );
    let built = shop.done(&["template", "build", "small.toml"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    let cold = shop.job(&["--cold"]);
    assert_ne!(digest(&cold), digest(&before));
    // Copies of the old one may wait for as long as it is looked at it now and then.
    shop.0.until(|_| {
        let after = shop.job(&[]);
        was_warm(&after) && digest(&after) == digest(&cold)
    });
}
