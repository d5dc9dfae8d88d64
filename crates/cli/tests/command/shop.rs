//! A cache of its own, templates in it, and what they are made from.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workshop::{Done, Workshop};

const MATERIAL: &str = include_str!("material.py");

/// Says the word of [`hello`].
pub(crate) const HELLO: &str = "import hello, stockade_guest as g\ng.emit(hello.WORD)";

/// A shop with a package that says a word, and a template of it.
pub(crate) fn hello(word: &str) -> (Shop, String) {
    let shop = Shop::new();
    shop.wheel(
        "hello",
        "1.0",
        &[&format!("hello/__init__.py=WORD = '{word}'")],
    );
    let text = "base = 'host'\npackages = ['hello']\npreload = ['hello']";
    let file = shop.described("greeting", text);
    (shop, file)
}

/// Templates of one test.
pub(crate) struct Shop {
    pub(crate) workshop: Workshop,
}

impl Shop {
    pub(crate) fn new() -> Self {
        let workshop = Workshop::new();
        fs::create_dir(workshop.path().join("wheels")).unwrap();
        workshop.file("material.py", MATERIAL);
        Self { workshop }
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.workshop.path().join("cache")
    }

    /// The command in this shop.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = self.workshop.command(args);
        command
            .env("STOCKADE_CACHE_DIR", self.cache())
            .env_remove("PIP_INDEX_URL");
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Done {
        Done::of(&self.command(args).output().unwrap())
    }

    /// `stockade template` with `args`.
    pub(crate) fn template(&self, args: &[&str]) -> Done {
        self.run(["template"].iter().chain(args))
    }

    /// [`Shop::template`], which must end well.
    pub(crate) fn must(&self, args: &[&str]) -> Done {
        let done = self.template(args);
        assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
        done
    }

    /// Makes something with `material.py`.
    pub(crate) fn material(&self, args: &[&str]) {
        let made = Command::new("/usr/bin/python3")
            .arg("material.py")
            .args(args)
            .current_dir(self.workshop.path())
            .status()
            .unwrap();
        assert!(made.success(), "{args:?}");
    }

    /// A wheel in the directory of wheels.
    pub(crate) fn wheel(&self, name: &str, version: &str, files: &[&str]) {
        let args = ["wheel", "wheels", name, version];
        self.material(&[&args, files].concat());
    }

    /// Writes the description of a template, and its lock where it has packages.
    pub(crate) fn described(&self, name: &str, text: &str) -> String {
        let file = format!("{name}.toml");
        self.workshop.file(&file, text);
        if text.contains("packages") {
            self.must(&["lock", &file, "--find-links", "wheels"]);
        }
        file
    }

    /// Builds a described template.
    pub(crate) fn build(&self, file: &str) -> Done {
        self.template(&["build", file, "--find-links", "wheels", "--format", "json"])
    }

    /// [`Shop::build`], which must end well; the digest.
    pub(crate) fn built(&self, file: &str) -> String {
        let done = self.build(file);
        assert_eq!(done.code, Some(0), "{done:?}");
        done.json()["digest"].as_str().unwrap().to_owned()
    }

    /// The value that `source` gives in a template.
    pub(crate) fn value(&self, template: &str, source: &str) -> String {
        let done = self.job(template, source);
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout.trim_end().to_owned()
    }

    pub(crate) fn job(&self, template: &str, source: &str) -> Done {
        self.workshop.file("job.py", source);
        self.run(["run", "job.py", "--template", template])
    }

    /// What is in the cache beside locks: manifests, trees, and what should not be there.
    pub(crate) fn kept(&self) -> Vec<String> {
        names(&self.cache().join("templates"))
            .into_iter()
            .filter(|name| !name.starts_with(".lock"))
            .collect()
    }
}

/// The names in a directory, sorted; none where there is no directory.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
