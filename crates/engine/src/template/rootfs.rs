//! A template made of a root file system that came from elsewhere.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use stockade_core::error::{Error, ErrorKind};
use stockade_core::template::{Origin, Symlink, Template};

use super::archive;
use super::build::{Interpreter, Shop};
use super::cache::Building;
use super::content::{FILES, TAKEN};
use super::draft::Draft;
use super::failed;
use super::probe::VERSION_MIN;
use super::tree::{Tree, utf8};

const PROBE: &str = include_str!("../../python/image_probe.py");
/// Where images have their Python.
const USUAL: [&str; 3] = [
    "/usr/local/bin/python3",
    "/usr/bin/python3",
    "/opt/venv/bin/python3",
];
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const CERTIFICATES: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

/// What the interpreter of an image says of itself. The image may lie: it says what its own runs
/// will find, and nothing here is done outside of it on its word.
#[derive(Deserialize)]
struct Report {
    version: (u32, u32, u32),
    platform: String,
    /// `(2, 36)` where the C library is glibc.
    glibc: Option<(u32, u32)>,
    sites: Vec<String>,
}

/// Unpacks the base of `shop`'s template and asks its Python.
pub(super) fn draft(
    shop: &mut Shop<'_>,
    building: Building,
) -> Result<(Draft, Interpreter), Error> {
    let root = building.place().join("root");
    let scratch = building.place().to_path_buf();
    let spec = shop.spec;
    let mut space = spec.room.clone();
    archive::unpack(&spec.base, &root, &scratch, &mut space, shop.progress)?;
    for name in TAKEN {
        clear(&root.join(name))?;
    }
    let mut tree = Tree::of_image(root.clone(), spec.room.clone())?;
    for (path, text) in FILES {
        tree.replace(Path::new(path), text.as_bytes())?;
    }
    let python = interpreter(&tree, spec.python.as_deref())?;
    let mut env = vec![("PATH".to_owned(), PATH.to_owned())];
    if let Some(found) = CERTIFICATES
        .iter()
        .find(|path| tree.resolve(Path::new(path)).is_some())
    {
        env.push(("SSL_CERT_FILE".to_owned(), (*found).to_owned()));
    }
    let links = tree.top_links();
    let bare = bare(&spec.name, &root, utf8(&python)?, &links, &env);
    shop.progress.begin("ask its Python what it needs", 1);
    let attempt = format!("start `{}` of the image", python.display());
    let answer = shop.engine.trial(&bare, PROBE.to_owned(), &attempt)?;
    let report: Report = serde_json::from_value(answer).map_err(|error| {
        let text = format!("cannot {attempt}: it does not say what it is: {error}");
        Error::new(ErrorKind::Refused, text)
    })?;
    refuse_old(&python, report.version)?;
    let site = site(&report, &python)?;
    tree.directory(&site)?;
    let (major, minor, _) = report.version;
    let interpreter = Interpreter {
        compiler: shop.compiler(major, minor),
        target: target(&report),
        version: report.version,
        platform: report.platform,
    };
    let draft = Draft {
        building,
        tree,
        version: report.version,
        interpreter: python,
        site,
        bound: Vec::new(),
        env,
        preload: Vec::new(),
        home: Vec::new(),
    };
    Ok((draft, interpreter))
}

/// What the image has where each run has its own.
fn clear(path: &Path) -> Result<(), Error> {
    let cleared = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(_) => Ok(()),
    };
    cleared.map_err(|error| failed("remove", path, &error))
}

fn interpreter(tree: &Tree, named: Option<&str>) -> Result<PathBuf, Error> {
    let looked: Vec<_> = match named {
        Some(path) => vec![path],
        None => USUAL.to_vec(),
    };
    // Not the file that it leads to: an environment's Python finds its packages by its own name.
    let found = looked.iter().find(|path| {
        tree.resolve(Path::new(path))
            .is_some_and(|real| tree.is_file(&real))
    });
    if let Some(path) = found {
        return Ok(PathBuf::from(path));
    }
    let places: Vec<_> = looked.iter().map(|path| format!("`{path}`")).collect();
    let text = format!("the image has no Python at {}", places.join(", "));
    Err(Error::new(ErrorKind::Refused, text)
        .hint("say where it is: `python = \"/path/in/the/image\"`"))
}

fn bare(
    name: &str,
    root: &Path,
    python: &str,
    links: &[(String, String)],
    env: &[(String, String)],
) -> Template {
    Template {
        name: name.to_owned(),
        digest: String::new(),
        origin: Origin::Built,
        version: (0, 0, 0),
        interpreter: python.to_owned(),
        site_dir: "/".to_owned(),
        root: root.to_path_buf(),
        binds: Vec::new(),
        symlinks: links
            .iter()
            .map(|(target, link)| Symlink {
                target: target.clone(),
                link: link.clone(),
            })
            .collect(),
        env: env.to_vec(),
        preload: Vec::new(),
        home: Vec::new(),
    }
}

fn refuse_old(python: &Path, version: (u32, u32, u32)) -> Result<(), Error> {
    let (major, minor, _) = version;
    if (major, minor) >= (VERSION_MIN.0, VERSION_MIN.1) {
        return Ok(());
    }
    let text = format!(
        "`{}` of the image is Python {major}.{minor}; a template needs {}.{} or later",
        python.display(),
        VERSION_MIN.0,
        VERSION_MIN.1
    );
    Err(Error::new(ErrorKind::Refused, text).hint("take an image with a later one"))
}

/// The last directory of packages: what follows `/work` on the path would be found after the
/// submission's own files.
fn site(report: &Report, python: &Path) -> Result<PathBuf, Error> {
    let plain =
        |path: &&String| path.starts_with('/') && !path.contains("/../") && !path.ends_with("/..");
    report
        .sites
        .iter()
        .rfind(plain)
        .map(PathBuf::from)
        .ok_or_else(|| {
            let text = format!(
                "`{}` of the image has no directory for packages",
                python.display()
            );
            Error::new(ErrorKind::Refused, text)
        })
}

/// What pip must be told to find wheels for another Python than its own.
fn target(report: &Report) -> Vec<String> {
    let (major, minor, _) = report.version;
    let machine = report.platform.rsplit('-').next().unwrap_or_default();
    let mut options = vec![
        "--implementation".to_owned(),
        "cp".to_owned(),
        "--python-version".to_owned(),
        format!("{major}.{minor}"),
    ];
    for abi in [
        format!("cp{major}{minor}"),
        "abi3".to_owned(),
        "none".to_owned(),
    ] {
        options.extend(["--abi".to_owned(), abi]);
    }
    let mut platforms = Vec::new();
    if let Some((2, glibc)) = report.glibc {
        platforms.extend(
            (5..=glibc.min(99))
                .rev()
                .map(|n| format!("manylinux_2_{n}_{machine}")),
        );
        let names = ["manylinux2014", "manylinux2010", "manylinux1"];
        platforms.extend(names.map(|name| format!("{name}_{machine}")));
    }
    platforms.push(format!("linux_{machine}"));
    for platform in platforms {
        options.extend(["--platform".to_owned(), platform]);
    }
    options
}
