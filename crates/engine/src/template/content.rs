//! What a template made of the host's Python holds.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use stockade_core::error::{Error, ErrorKind};

use super::cache::Building;
use super::draft::{Bound, Draft, Part};
use super::failed;
use super::probe::Report;
use super::room::Room;
use super::tree::{Tree, describe_bound, utf8};

/// Files that programs look for. The guest's user is 1000; the others give names to owners.
pub(super) const FILES: [(&str, &str); 4] = [
    (
        "/etc/passwd",
        "root:x:0:0:root:/:/bin/false\n\
         sandbox:x:1000:1000::/tmp/home:/bin/sh\n\
         nobody:x:65534:65534:nobody:/:/bin/false\n",
    ),
    (
        "/etc/group",
        "root:x:0:\nsandbox:x:1000:\nnogroup:x:65534:\n",
    ),
    ("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    (
        "/etc/nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files dns\n",
    ),
];

/// Links of the host's root that paths in programs rely on (`/bin/sh`, `/lib64/ld-linux…`).
const TOP_LINKS: [&str; 5] = ["bin", "sbin", "lib", "lib32", "lib64"];

const ZONES: &str = "/usr/share/zoneinfo";
/// The locale that `LANG=C.UTF-8` names: glibc has it in files, under either spelling.
const LOCALES: [&str; 2] = ["/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"];
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// Where distributions keep the bundle.
const CERTIFICATES_OF_HOST: [&str; 4] = [
    CERTIFICATES,
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// What the guest mounts for itself: nothing of the host can be there.
pub(super) const TAKEN: [&str; 6] = ["dev", "proc", "run", "sys", "tmp", "work"];

/// Where Stockade's modules go, and what must be hidden for nothing else to be there.
struct Site {
    /// In the guest.
    path: PathBuf,
    /// Below a bound directory: then it is a bind of its own.
    over_bind: bool,
    /// Directories of the host's packages below a bound directory.
    hidden: Vec<PathBuf>,
}

/// Builds the tree of an interpreter of the host.
pub(super) fn draft(
    building: Building,
    interpreter: &Path,
    report: &Report,
    room: Room,
) -> Result<Draft, Error> {
    refuse_taken(report)?;
    let bound = bound(report);
    for folder in &bound {
        refuse_unreadable(folder, rustix::process::geteuid().is_root())?;
    }
    let site = site(report, &bound)?;
    let mut tree = Tree::new(building.place().join("root"), room)?;
    tree.watch(interpreter)?;
    tree.watch(&report.landmark)?;
    for folder in &report.dynload {
        tree.watch(Path::new(folder))?;
    }
    copy_programs(&mut tree, report, &bound)?;
    write_files(&mut tree)?;
    let mut env = vec![("PATH".to_owned(), search_path(&report.interpreter)?)];
    if let Some(found) = CERTIFICATES_OF_HOST
        .iter()
        .map(Path::new)
        .find(|path| path.is_file())
    {
        tree.copy_as(found, Path::new(CERTIFICATES))?;
        env.push(("SSL_CERT_FILE".to_owned(), CERTIFICATES.to_owned()));
    }
    if !report.library_dirs.is_empty() {
        env.push(("LD_LIBRARY_PATH".to_owned(), report.library_dirs.join(":")));
    }
    let mut except = site.hidden.clone();
    except.push(site.path.clone());
    for target in &bound {
        tree.directory(target)?;
        tree.watch(target)?;
        let mut text = format!("bound {}", describe_bound(target, &except)?);
        for hidden in except.iter().filter(|hidden| hidden.starts_with(target)) {
            text.extend(["\n", utf8(hidden)?]);
        }
        tree.describe(target, text);
    }
    let mut binds: Vec<_> = bound.into_iter().map(Bound::Host).collect();
    let hidden = site.hidden.iter().cloned();
    binds.extend(hidden.map(|target| Bound::Part(Part::Empty, target)));
    if site.over_bind {
        tree.overlay(&site.path, building.place().join("site"))?;
        binds.push(Bound::Part(Part::Site, site.path.clone()));
    }
    Ok(Draft {
        building,
        tree,
        version: report.version,
        interpreter: report.interpreter.clone(),
        site: site.path,
        bound: binds,
        env,
        preload: Vec::new(),
        home: Vec::new(),
    })
}

/// The directories that are bound and not copied, none of them below another.
fn bound(report: &Report) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = [&report.stdlib, &report.platform_library]
        .into_iter()
        .chain(&report.dynload)
        .map(PathBuf::from)
        .collect();
    if Path::new(ZONES).is_dir() {
        found.push(ZONES.into());
    }
    found.sort();
    // A directory sorts before everything below it.
    found.dedup_by(|later, kept| later.starts_with(kept));
    found
}

fn site(report: &Report, bound: &[PathBuf]) -> Result<Site, Error> {
    let below = |path: &Path| bound.iter().any(|folder| path.starts_with(folder));
    let mut sites: Vec<_> = report.sites.iter().map(PathBuf::from).collect();
    // A mount point below a bound directory cannot be made.
    sites.retain(|path| !below(path) || path.is_dir());
    // The last: what follows `/work` on the path would be found after the submission's own files.
    let path = sites.pop().ok_or_else(|| {
        let text = format!(
            "`{}` has no directory for packages: looked at {}",
            report.interpreter.display(),
            report.sites.join(", ")
        );
        Error::new(ErrorKind::Refused, text).hint("make one of them, empty")
    })?;
    sites.retain(|path| below(path));
    Ok(Site {
        over_bind: below(&path),
        path,
        hidden: sites,
    })
}

fn refuse_taken(report: &Report) -> Result<(), Error> {
    let library = Path::new(&report.stdlib);
    for path in [report.interpreter.as_path(), library] {
        if TAKEN
            .iter()
            .any(|name| path.starts_with(Path::new("/").join(name)))
        {
            let text = format!(
                "the Python at `{}` cannot be used: the guest has its own directory there",
                path.display()
            );
            return Err(Error::new(ErrorKind::Refused, text)
                .hint("install it elsewhere, such as below `/opt` or a home directory"));
        }
    }
    Ok(())
}

/// Started by root, the guest is another user than the one whose files these may be.
fn refuse_unreadable(folder: &Path, other_user: bool) -> Result<(), Error> {
    let found = folder
        .metadata()
        .map_err(|error| failed("look at", folder, &error))?;
    if !other_user || found.mode() & 0o005 == 0o005 {
        return Ok(());
    }
    let text = format!(
        "the guest's user cannot read `{}`: its mode is {:o}",
        folder.display(),
        found.mode() & 0o7777
    );
    Err(Error::new(ErrorKind::Refused, text)
        .hint(format!(
            "let others read it (`chmod -R o+rX {}`)",
            folder.display()
        ))
        .hint("or name another Python with `STOCKADE_PYTHON=/absolute/path/to/python3`"))
}

fn copy_programs(tree: &mut Tree, report: &Report, bound: &[PathBuf]) -> Result<(), Error> {
    for name in TOP_LINKS {
        tree.top_link(name)?;
    }
    tree.copy(&report.interpreter)?;
    let (major, minor, _) = report.version;
    let target = report
        .interpreter
        .file_name()
        .map(Path::new)
        .map_or(Ok(""), utf8)?
        .to_owned();
    for name in ["python", "python3", &format!("python{major}.{minor}")] {
        tree.symlink(&target, &report.interpreter.with_file_name(name))?;
    }
    let libraries = report
        .loader
        .iter()
        .chain(&report.libraries)
        .chain(report.tools.values());
    for path in libraries.map(Path::new) {
        // What lies in a bound directory is there already.
        if !bound.iter().any(|folder| path.starts_with(folder)) {
            tree.copy(path)?;
        }
    }
    Ok(())
}

fn write_files(tree: &mut Tree) -> Result<(), Error> {
    for (path, text) in FILES {
        tree.write(Path::new(path), text.as_bytes())?;
    }
    if let Some(locale) = LOCALES.iter().map(Path::new).find(|path| path.is_dir()) {
        tree.copy_all(locale)?;
    }
    if Path::new(ZONES).is_dir() {
        tree.symlink(&format!("{ZONES}/Etc/UTC"), Path::new("/etc/localtime"))?;
    }
    Ok(())
}

fn search_path(interpreter: &Path) -> Result<String, Error> {
    let own = utf8(interpreter.parent().unwrap_or(Path::new("/usr/bin")))?;
    let usual = ["/usr/bin", "/bin"];
    let mut folders = if usual.contains(&own) {
        Vec::new()
    } else {
        vec![own]
    };
    folders.extend(usual);
    Ok(folders.join(":"))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn report(interpreter: &str, library: &str, sites: &[&str]) -> Report {
        Report {
            version: (3, 12, 1),
            platform: "linux-x86_64".to_owned(),
            interpreter: interpreter.into(),
            stdlib: library.to_owned(),
            platform_library: library.to_owned(),
            dynload: vec![format!("{library}/lib-dynload")],
            landmark: format!("{library}/os.py").into(),
            sites: sites.iter().map(ToString::to_string).collect(),
            loader: None,
            libraries: Vec::new(),
            library_dirs: Vec::new(),
            tools: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn a_python_where_the_guest_mounts_its_own_is_refused() {
        for taken in TAKEN {
            for (interpreter, library) in [
                (
                    format!("/{taken}/py/bin/python3"),
                    format!("/{taken}/py/lib"),
                ),
                ("/opt/bin/python3".to_owned(), format!("/{taken}/lib")),
                (
                    format!("/{taken}/bin/python3"),
                    "/usr/lib/python3".to_owned(),
                ),
            ] {
                let error = refuse_taken(&report(&interpreter, &library, &[])).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Refused);
            }
        }
        assert!(refuse_taken(&report("/tmpfs/python3", "/usr/lib/python3", &[])).is_ok());
    }

    #[test]
    fn a_library_that_the_guest_cannot_read_is_refused() {
        let folder = std::env::temp_dir().join(format!("stockade-lib-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
        assert!(refuse_unreadable(&folder, false).is_ok());
        let error = refuse_unreadable(&folder, true).unwrap_err();
        assert!(error.to_string().contains("mode is 750"), "{error}");
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        assert!(refuse_unreadable(&folder, true).is_ok());
        fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn modules_go_last_and_packages_of_the_host_are_hidden() {
        // Directories that exist on every host stand for those of packages.
        let found = report(
            "/usr/bin/python3",
            "/usr",
            &["/usr/bin", "/usr/nowhere", "/usr/lib"],
        );
        let site = site(&found, &bound(&found)).unwrap();
        assert_eq!(site.path, Path::new("/usr/lib"));
        assert!(site.over_bind);
        assert_eq!(site.hidden, [PathBuf::from("/usr/bin")]);
        let found = report(
            "/usr/bin/python3",
            "/usr/lib/python3.12",
            &["/usr/bin", "/nowhere"],
        );
        let site = super::site(&found, &bound(&found)).unwrap();
        assert_eq!(
            (site.path.as_path(), site.over_bind),
            (Path::new("/nowhere"), false)
        );
        assert_eq!(site.hidden, [] as [PathBuf; 0]);
    }

    #[test]
    fn a_bound_directory_covers_those_below_it() {
        let found = bound(&report("/opt/bin/python3", "/opt/lib", &[]));
        assert_eq!(found[0], Path::new("/opt/lib"));
        assert!(!found.contains(&PathBuf::from("/opt/lib/lib-dynload")));
    }
}
