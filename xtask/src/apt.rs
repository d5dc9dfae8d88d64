//! What this project needs from Debian, installed with a plain word about it.

use crate::shell::{Shell, which};
use std::path::Path;

/// A program (a name, or an absolute path), the package that brings it, and what it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    /// Looked for with `PATH`, or at this place if absolute.
    pub(crate) program: &'static str,
    /// Debian's name.
    pub(crate) package: &'static str,
    /// Shown to the person whose machine it is.
    pub(crate) purpose: &'static str,
}

/// The interpreter that the `python` template is made from.
pub(crate) const PYTHON: Need = Need {
    program: "/usr/bin/python3",
    package: "python3",
    purpose: "the interpreter that submissions run on",
};
/// Rust's linker driver.
pub(crate) const CC: Need = Need {
    program: "cc",
    package: "gcc",
    purpose: "rustc links with `cc`",
};
/// The start files and the static C library.
pub(crate) const LIBC: Need = Need {
    program: "/usr/lib/x86_64-linux-gnu/libc.a",
    package: "libc6-dev",
    purpose: "the static C library that `stockade` is linked with",
};
/// libFuzzer is C++.
pub(crate) const CXX: Need = Need {
    program: "c++",
    package: "g++",
    purpose: "libFuzzer is written in C++",
};
/// The yardstick of the benchmark.
pub(crate) const BWRAP: Need = Need {
    program: "bwrap",
    package: "bubblewrap",
    purpose: "the sandbox that the benchmark compares with",
};
/// The virtual machine that has unified cgroups where the host has not.
pub(crate) const QEMU: Need = Need {
    program: "qemu-system-x86_64",
    package: "qemu-system-x86",
    purpose: "the virtual machine that has unified cgroups",
};
/// Unpacks a kernel without installing it.
pub(crate) const DPKG: Need = Need {
    program: "dpkg-deb",
    package: "dpkg",
    purpose: "unpacks the virtual machine's kernel",
};

impl Need {
    fn present(&self) -> bool {
        if self.program.starts_with('/') {
            Path::new(self.program).exists()
        } else {
            which(self.program).is_some()
        }
    }
}

/// Installs those of `needs` that are missing, or says what to type.
pub(crate) fn ensure(needs: &[Need]) -> Result<(), String> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !need.present()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    for need in &missing {
        eprintln!(
            "missing: `{}` ({}); package `{}`",
            need.program, need.purpose, need.package
        );
    }
    let by_hand = format!(
        "type `apt-get install {}` as root and try again",
        packages.join(" ")
    );
    if which("apt-get").is_none() {
        return Err(format!(
            "this machine has no `apt-get`; install {} yourself",
            packages.join(" ")
        ));
    }
    if !rustix::process::geteuid().is_root() {
        return Err(by_hand);
    }
    eprintln!("installing: {}", packages.join(" "));
    update()?;
    Shell::new("apt-get")
        .args(["install", "--yes", "--no-install-recommends"])
        .args(&packages)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .run()
        .map_err(|e| format!("{e}; {by_hand}"))?;
    match missing.iter().find(|need| !need.present()) {
        None => Ok(()),
        Some(need) => Err(format!(
            "package `{}` is installed, and `{}` is still missing",
            need.package, need.program
        )),
    }
}

/// Fetches the lists of packages, as a new machine has none.
pub(crate) fn update() -> Result<(), String> {
    Shell::new("apt-get")
        .args(["update", "--quiet"])
        .read()
        .map(drop)
}
