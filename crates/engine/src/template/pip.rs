//! Asks pip: it resolves, downloads and unpacks wheels. It builds nothing: no code of a package
//! runs.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use stockade_core::error::{Error, ErrorKind};
use stockade_sys::tool::{self, Finished, Tool};

use super::failed;
use super::pin::Wheel;
use super::tree::hash_file;

const WITHIN: Duration = Duration::from_mins(30);
const OUTPUT_BYTES_MAX: usize = 4 << 20;
/// The first that tells what it would install.
const VERSION_MIN: (u32, u32) = (22, 2);
/// What pip sees of our environment: how this site reaches an index.
const PASSED: [&str; 12] = [
    "PIP_INDEX_URL",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_PROXY",
    "PIP_DEFAULT_TIMEOUT",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
];

/// An interpreter that has pip, and for which interpreter it works.
pub(super) struct Pip {
    program: PathBuf,
    /// A directory of our own, its home.
    scratch: PathBuf,
    /// Options that say what the wheels are for, where that is not this interpreter.
    target: Vec<String>,
}

/// What `pip install --report` writes, as far as we read it.
#[derive(Deserialize)]
struct Report {
    install: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Metadata,
    download_info: Download,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct Download {
    url: String,
    archive_info: Option<Archive>,
}

#[derive(Deserialize)]
struct Archive {
    /// Of earlier versions.
    hash: Option<String>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
}

impl Pip {
    /// The pip of `interpreter`, or one in an environment made for it.
    pub(super) fn of(
        interpreter: &Path,
        scratch: &Path,
        target: Vec<String>,
    ) -> Result<Self, Error> {
        let mut pip = Self {
            program: interpreter.to_path_buf(),
            scratch: scratch.to_path_buf(),
            target,
        };
        if pip.version().is_some_and(|version| version >= VERSION_MIN) {
            return Ok(pip);
        }
        let place = scratch.join("venv");
        let args = ["-I", "-m", "venv"].map(OsString::from);
        let made = pip.run_with(args.into_iter().chain([place.clone().into_os_string()]))?;
        pip.program = place.join("bin/python");
        if made.status.success() && pip.version().is_some_and(|version| version >= VERSION_MIN) {
            return Ok(pip);
        }
        let text = format!(
            "`{}` has no pip of version {}.{} or later and cannot make an environment with one: {}",
            interpreter.display(),
            VERSION_MIN.0,
            VERSION_MIN.1,
            last_lines(&made)
        );
        Err(Error::new(ErrorKind::Refused, text)
            .hint("install one: `apt-get install python3-pip`, or `python3-venv`"))
    }

    fn version(&self) -> Option<(u32, u32)> {
        let asked = self.run(&["--version"]).ok()?;
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        let mut numbers = text.strip_prefix("pip ")?.split(['.', ' ']);
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some((major, minor))
    }

    /// The wheels that `packages` and what they need come to.
    pub(super) fn resolve(
        &self,
        packages: &[String],
        links: Option<&Path>,
    ) -> Result<Vec<Wheel>, Error> {
        let report = self.scratch.join("report.json");
        let wanted = self.requirements(&packages.join("\n"))?;
        let target = self.scratch.join("nowhere");
        let mut args = vec![
            "install".into(),
            "--dry-run".into(),
            "--ignore-installed".into(),
            "--report".into(),
            report.clone().into_os_string(),
            "-r".into(),
            wanted.into_os_string(),
            "--target".into(),
            target.into_os_string(),
        ];
        args.extend(from(links));
        let done = self.run(&args)?;
        if !done.status.success() {
            return Err(unresolved(&done, links));
        }
        let text = fs::read(&report).map_err(|error| failed("read", &report, &error))?;
        let found: Report = serde_json::from_slice(&text).map_err(|error| {
            let text = format!("cannot read what pip would install: {error}");
            Error::new(ErrorKind::Host, text)
        })?;
        found
            .install
            .into_iter()
            .map(|item| item.wheel(links))
            .collect()
    }

    /// Puts the wheel into a directory of its digest below `store`, if it is not there; says where.
    pub(super) fn fetch(
        &self,
        wheel: &Wheel,
        store: &Path,
        links: Option<&Path>,
    ) -> Result<PathBuf, Error> {
        let place = store.join(&wheel.sha256).join(&wheel.file);
        if hash_file(&place).is_ok_and(|found| found == wheel.sha256) {
            return Ok(place);
        }
        let folder = self.scratch.join(format!("fetch-{}", wheel.sha256));
        let wanted = self.requirements(&pinned(wheel))?;
        let mut args = vec![
            "download".into(),
            "--no-deps".into(),
            "--require-hashes".into(),
            "-d".into(),
            folder.clone().into_os_string(),
            "-r".into(),
            wanted.into_os_string(),
        ];
        args.extend(from(links));
        let done = self.run(&args)?;
        if !done.status.success() {
            return Err(unfetched(wheel, &done, links));
        }
        let got = folder.join(&wheel.file);
        let hash = hash_file(&got).map_err(|error| failed("read", &got, &error))?;
        if hash != wheel.sha256 {
            return Err(differs(wheel, &hash));
        }
        // Renamed as a whole: a directory of a digest is there with its wheel or not at all.
        let kept = store.join(&wheel.sha256);
        let clear = || match fs::remove_dir_all(&kept) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            Err(_) | Ok(()) => Ok(()),
        };
        match fs::rename(&folder, &kept) {
            // Another process was faster, or an earlier one left something else.
            Err(_) if hash_file(&place).is_ok_and(|found| found == wheel.sha256) => {}
            Err(_) => clear()
                .and_then(|()| fs::rename(&folder, &kept))
                .map_err(|error| failed("keep", &kept, &error))?,
            Ok(()) => {}
        }
        Ok(place)
    }

    /// Unpacks wheels, which lie in `links`, into the new directory `folder`.
    pub(super) fn unpack(
        &self,
        wheels: &[Wheel],
        links: &Path,
        folder: &Path,
    ) -> Result<(), Error> {
        let pinned: Vec<_> = wheels.iter().map(pinned).collect();
        let wanted = self.requirements(&pinned.join("\n"))?;
        let mut args = vec![
            "install".into(),
            "--no-deps".into(),
            "--require-hashes".into(),
            "--ignore-installed".into(),
            "--no-compile".into(),
            "--no-warn-conflicts".into(),
            "--root-user-action".into(),
            "ignore".into(),
            "--target".into(),
            folder.as_os_str().to_owned(),
            "-r".into(),
            wanted.into_os_string(),
        ];
        args.extend(from(Some(links)));
        let done = self.run(&args)?;
        if !done.status.success() {
            let text = format!("cannot unpack the wheels: {}", last_lines(&done));
            return Err(full(Error::new(ErrorKind::Host, text), &done));
        }
        Ok(())
    }

    fn requirements(&self, text: &str) -> Result<PathBuf, Error> {
        let path = self.scratch.join("requirements.txt");
        fs::write(&path, format!("{text}\n")).map_err(|error| failed("write", &path, &error))?;
        Ok(path)
    }

    fn run(&self, args: &[impl AsRef<OsStr>]) -> Result<Finished, Error> {
        let mut all = ["-I", "-m", "pip"].map(OsString::from).to_vec();
        let mut args = args.iter().map(|arg| arg.as_ref().to_owned());
        all.extend(args.next());
        if all.last().is_some_and(|verb| verb != "--version") {
            let usual = [
                "--no-input",
                "--disable-pip-version-check",
                "--no-cache-dir",
                "--progress-bar",
                "off",
                "--only-binary",
                ":all:",
            ];
            all.extend(usual.map(OsString::from));
            all.extend(self.target.iter().map(OsString::from));
        }
        all.extend(args);
        self.run_with(all.into_iter())
    }

    fn run_with(&self, args: impl Iterator<Item = OsString>) -> Result<Finished, Error> {
        let args: Vec<_> = args.collect();
        let args: Vec<_> = args.iter().map(OsString::as_os_str).collect();
        let passed: Vec<_> = PASSED
            .iter()
            .filter_map(|name| Some((*name, env::var_os(name)?)))
            .collect();
        let mut environment = vec![
            ("PATH", OsStr::new("/usr/bin:/bin")),
            ("HOME", self.scratch.as_os_str()),
            ("TMPDIR", self.scratch.as_os_str()),
            ("LC_ALL", OsStr::new("C.UTF-8")),
            // The site's file would bring more indexes, and options.
            ("PIP_CONFIG_FILE", OsStr::new("/dev/null")),
        ];
        environment.extend(
            passed
                .iter()
                .map(|(name, value)| (*name, value.as_os_str())),
        );
        tool::run(&Tool {
            program: &self.program,
            args: &args,
            env: &environment,
            stdin: b"",
            within: WITHIN,
            output_bytes_max: OUTPUT_BYTES_MAX,
        })
        .map_err(|error| failed("ask pip of", &self.program, &error))
    }
}

impl Item {
    fn wheel(self, links: Option<&Path>) -> Result<Wheel, Error> {
        let Self {
            metadata,
            download_info,
        } = self;
        let file = download_info.url.rsplit('/').next().unwrap_or_default();
        let file = file.split(['#', '?']).next().unwrap_or_default();
        let file = file.replace("%2B", "+").replace("%2b", "+");
        let told = download_info.archive_info.and_then(|mut archive| {
            let earlier = archive.hash.as_deref();
            let earlier = earlier.and_then(|hash| hash.strip_prefix("sha256="));
            archive
                .hashes
                .remove("sha256")
                .or_else(|| earlier.map(str::to_owned))
        });
        let sha256 = match (told, links) {
            (Some(hash), _) => hash,
            (None, Some(links)) => {
                let path = links.join(&file);
                hash_file(&path).map_err(|error| failed("read", &path, &error))?
            }
            (None, None) => String::new(),
        };
        let wheel = Wheel {
            name: metadata.name.to_lowercase().replace(['_', '.'], "-"),
            version: metadata.version,
            file,
            sha256,
        };
        match wheel.fault() {
            None => Ok(wheel),
            Some(why) => {
                let text = format!("cannot pin `{}`: {why}", wheel.name);
                Err(Error::new(ErrorKind::Host, text).hint("the index tells no SHA-256 of it"))
            }
        }
    }
}

fn pinned(wheel: &Wheel) -> String {
    format!(
        "{}=={} --hash=sha256:{}",
        wheel.name, wheel.version, wheel.sha256
    )
}

/// Where pip looks: a directory alone, or the index.
fn from(links: Option<&Path>) -> Vec<OsString> {
    match links {
        Some(links) => vec![
            "--no-index".into(),
            "--find-links".into(),
            links.as_os_str().to_owned(),
        ],
        None => Vec::new(),
    }
}

fn unresolved(done: &Finished, links: Option<&Path>) -> Error {
    let said = String::from_utf8_lossy(&done.stderr);
    let missing = said
        .lines()
        .find_map(|line| line.split_once("No matching distribution found for "))
        .map(|(_, name)| name.split(" (from").next().unwrap_or(name).trim());
    let text = match missing {
        Some(name) => format!(
            "cannot resolve the packages: `{name}` has no wheel for this Python {}",
            place(links)
        ),
        None => format!("cannot resolve the packages: {}", last_lines(done)),
    };
    Error::new(ErrorKind::Refused, text)
        .hint("only wheels are taken, since building one would run its code on this host")
        .hint("build it elsewhere, and give the directory with all wheels: `--find-links DIR`")
}

fn unfetched(wheel: &Wheel, done: &Finished, links: Option<&Path>) -> Error {
    let said = String::from_utf8_lossy(&done.stderr);
    if let Some((_, got)) = said.split_once("Got ") {
        let got = got.split_whitespace().next().unwrap_or_default();
        return differs(wheel, got);
    }
    let text = format!(
        "cannot fetch `{}` {} {}: {}",
        wheel.name,
        wheel.version,
        place(links),
        last_lines(done)
    );
    full(Error::new(ErrorKind::Host, text), done)
        .hint("is the index in reach (`PIP_INDEX_URL`, `HTTPS_PROXY`)?")
        .hint("without a network, give a directory with the wheels: `--find-links DIR`")
}

fn place(links: Option<&Path>) -> String {
    match links {
        Some(links) => format!("in `{}`", links.display()),
        None => "in the index".to_owned(),
    }
}

fn differs(wheel: &Wheel, got: &str) -> Error {
    let text = format!(
        "the wheel of `{}` {} is not the one that the lock pins: its SHA-256 is {got}, not {}",
        wheel.name, wheel.version, wheel.sha256
    );
    Error::new(ErrorKind::Refused, text)
        .hint("find out who changed it before you write the lock again")
}

/// The same error, with the hint that belongs to a full disk.
fn full(error: Error, done: &Finished) -> Error {
    if String::from_utf8_lossy(&done.stderr).contains("No space left on device") {
        return error.hint("the file system of the cache is full (`df`)");
    }
    error
}

/// The end of what a tool said: it names the cause.
fn last_lines(done: &Finished) -> String {
    let said = String::from_utf8_lossy(&done.stderr);
    let lines: Vec<_> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("[notice]"))
        .collect();
    lines[lines.len().saturating_sub(3)..].join("; ")
}
