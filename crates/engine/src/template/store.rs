//! The templates that are kept: found by name, listed, verified, removed, pruned.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use stockade_core::error::{Error, ErrorKind};
use stockade_core::limits::Limits;
use stockade_core::template::Template;

use super::cache::Cache;
use super::hold::{gone, hold};
use super::index::Index;
use super::manifest::{Manifest, Source, State};
use super::spec::plain_name;
use super::{builtin, failed};

/// How often a template is looked for that goes away meanwhile.
const LOOKS_MAX: usize = 3;

/// A template in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What it is asked for by.
    pub name: String,
    /// What its file says of it.
    pub description: String,
    /// How it stands.
    pub standing: Standing,
    /// Once it is built.
    pub details: Option<Details>,
}

/// Whether a template can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// As it is.
    Ready,
    /// It is built when it is first used, in a second.
    BuiltOnUse,
    /// It must be built.
    NotBuilt,
    /// It must be built again; why.
    Stale(String),
}

/// What is known of a template that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// SHA-256 over all that it holds.
    pub digest: String,
    /// Version of its interpreter.
    pub version: (u32, u32, u32),
    /// Bytes of its own files.
    pub bytes: u64,
    /// Name and version of each package.
    pub packages: Vec<(String, String)>,
    /// Modules that a warm start has imported.
    pub preload: Vec<String>,
    /// Variables that it sets.
    pub env: Vec<(String, String)>,
    /// Defaults of limits, name and value.
    pub limits: Vec<(String, String)>,
}

/// What pruning took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Trees that no template refers to.
    pub trees: usize,
    /// Trees that none refers to and a process uses.
    pub kept: usize,
    /// Wheels that no template was built from.
    pub wheels: usize,
    /// Bytes of all that.
    pub bytes: u64,
}

/// Limits from names and values that were checked when they were read.
pub(super) fn limits(pairs: &[(String, String)]) -> Result<Limits, Error> {
    pairs
        .iter()
        .try_fold(Limits::default(), |all, (name, value)| {
            all.parse(&format!("{name}={value}"))
        })
}

/// Refuses what is no name: names come from callers far away, and become names of files.
fn refuse_odd(name: &str) -> Result<(), Error> {
    plain_name(name).map(drop).map_err(|_| unknown(name))
}

/// The template of this name that was built before.
pub(super) fn prepared(name: &str, cache: &Path) -> Result<Template, Error> {
    refuse_odd(name)?;
    let cache = Cache::open(cache)?;
    for _ in 0..LOOKS_MAX {
        let Some(mut found) = Manifest::read(&cache.named(name)) else {
            return Err(unknown(name));
        };
        if let Some(why) = stale(&found) {
            return Err(rebuild(name, &why));
        }
        if found.state() == State::TreeChanged {
            found = again(name, &cache)?;
        }
        if hold(&found.prepared.root)? {
            return Ok(found.prepared.template(name));
        }
    }
    Err(gone(name))
}

/// Limits that a run with this template has where nobody asks for others. On the way of every
/// answer: one `stat`, unless the manifest has changed.
pub(super) fn defaults(name: &str, cache: &Path) -> Result<Option<Limits>, Error> {
    static KNOWN: Mutex<BTreeMap<PathBuf, (Source, Option<Limits>)>> = Mutex::new(BTreeMap::new());
    let name = builtin::canonical(name);
    if name == "python" {
        return Ok(None);
    }
    refuse_odd(name)?;
    let place = Cache::named_below(cache, name);
    let Ok(found) = place.metadata() else {
        // Whoever prepares it says what is missing.
        return Ok(None);
    };
    let now = Source::of(&place, &found);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((then, limits)) = known.get(&place)
        && *then == now
    {
        return Ok(limits.clone());
    }
    let recipe = Manifest::read(&place).and_then(|found| found.recipe);
    let found = recipe.map(|recipe| limits(&recipe.limits)).transpose()?;
    known.insert(place, (now, found.clone()));
    Ok(found)
}

/// Reads all of a tree that is not the one that was verified, such as a copy of it.
fn again(name: &str, cache: &Cache) -> Result<Manifest, Error> {
    let _lock = cache.lock()?;
    let place = cache.named(name);
    let found = Manifest::read(&place).ok_or_else(|| unknown(name))?;
    let faults = faults(&found, cache)?;
    if let Some(fault) = faults.first() {
        return Err(rebuild(name, &format!("its tree is damaged: {fault}")));
    }
    let found = found.verified_again()?;
    found.write(&place)?;
    Ok(found)
}

fn faults(found: &Manifest, cache: &Cache) -> Result<Vec<String>, Error> {
    let tree = cache.tree(&found.prepared.digest);
    let index = Index::read(&tree)?;
    let digest = index.digest();
    if digest != found.prepared.digest {
        return Ok(vec![format!("its index has the digest {digest}")]);
    }
    index.faults(&tree)
}

/// Why it must be built again, where reading it again would not do.
fn stale(found: &Manifest) -> Option<String> {
    match found.state() {
        State::Current | State::TreeChanged => None,
        State::OtherBuild => Some("another version of Stockade built it".to_owned()),
        State::SourceChanged => {
            let changed = found.changed_source().map(Path::display);
            let changed = changed.map_or_else(String::new, |path| format!(" (`{path}`)"));
            Some(format!(
                "the Python that it was built from has changed{changed}"
            ))
        }
    }
}

fn rebuild(name: &str, why: &str) -> Error {
    let text = format!("template `{name}` must be built again: {why}");
    let what = if builtin::source(name).is_some() {
        name
    } else {
        "FILE.toml"
    };
    Error::new(ErrorKind::Refused, text).hint(format!("`stockade template build {what}`"))
}

fn unknown(name: &str) -> Error {
    if builtin::source(name).is_some() {
        let text = format!("template `{name}` is not built");
        return Error::new(ErrorKind::Refused, text).hint(format!(
            "build it once: `stockade template build {name}` (it downloads packages)"
        ));
    }
    let known = builtin::NAMES.map(|name| format!("`{name}`")).join(", ");
    Error::new(
        ErrorKind::InvalidPolicy,
        format!("no template named `{name}`"),
    )
    .hint(format!("this build knows {known}"))
    .hint("build one of your own with `stockade template build FILE.toml`")
}

/// All that can be asked for, in the order of names.
pub(super) fn list(cache: &Path) -> Result<Vec<Listed>, Error> {
    let cache = Cache::open(cache)?;
    let mut names: BTreeSet<String> = builtin::NAMES.map(str::to_owned).into();
    names.extend(cache.manifests()?.into_iter().filter_map(|(name, _)| name));
    names.into_iter().map(|name| listed(name, &cache)).collect()
}

/// One of them.
pub(super) fn show(name: &str, cache: &Path) -> Result<Listed, Error> {
    refuse_odd(name)?;
    let cache = Cache::open(cache)?;
    let listed = listed(name.to_owned(), &cache)?;
    if listed.standing == Standing::NotBuilt && builtin::source(name).is_none() {
        return Err(unknown(name));
    }
    Ok(listed)
}

fn listed(name: String, cache: &Cache) -> Result<Listed, Error> {
    if builtin::canonical(&name) == "python" {
        let description = match name.as_str() {
            "python" => "the host's own Python and its standard library".to_owned(),
            _ => "another name of `python`".to_owned(),
        };
        return Ok(Listed {
            name,
            description,
            standing: Standing::BuiltOnUse,
            details: None,
        });
    }
    let found = Manifest::read(&cache.named(&name));
    let description = match (&found, builtin::source(&name)) {
        (
            Some(Manifest {
                recipe: Some(recipe),
                ..
            }),
            _,
        ) => recipe.description.clone(),
        (_, Some(_)) => builtin::spec(&name)?.description,
        (_, None) => String::new(),
    };
    let standing = match &found {
        None => Standing::NotBuilt,
        Some(found) => stale(found).map_or(Standing::Ready, Standing::Stale),
    };
    Ok(Listed {
        name,
        description,
        standing,
        details: found.map(details),
    })
}

fn details(found: Manifest) -> Details {
    let Manifest {
        prepared, recipe, ..
    } = found;
    let (bytes, packages, limits) = match recipe {
        Some(recipe) => (recipe.bytes, recipe.packages, recipe.limits),
        None => (0, Vec::new(), Vec::new()),
    };
    Details {
        digest: prepared.digest,
        version: prepared.version,
        bytes,
        packages,
        preload: prepared.preload,
        env: prepared.env,
        limits,
    }
}

/// Reads all of a template; what is not as it was.
pub(super) fn verify(name: &str, cache: &Path) -> Result<Vec<String>, Error> {
    refuse_odd(name)?;
    let cache = Cache::open(cache)?;
    let found: Vec<_> = if builtin::canonical(name) == "python" {
        let all = cache.manifests()?.into_iter();
        all.filter(|(name, _)| name.is_none())
            .filter_map(|(_, path)| Manifest::read(&path))
            .filter(|found| found.state() == State::Current)
            .collect()
    } else {
        vec![Manifest::read(&cache.named(name)).ok_or_else(|| unknown(name))?]
    };
    let mut all = Vec::new();
    for manifest in &found {
        all.extend(faults(manifest, &cache)?);
    }
    Ok(all)
}

/// Forgets a template. Says whether its tree is gone as well: another may have the same, or a
/// process may use it.
pub(super) fn remove(name: &str, cache: &Path) -> Result<bool, Error> {
    refuse_odd(name)?;
    if builtin::canonical(name) == "python" {
        let text = format!("template `{name}` is built when it is used, and cannot be removed");
        return Err(Error::new(ErrorKind::InvalidPolicy, text)
            .hint("`stockade template prune` takes away what is not used any more"));
    }
    let cache = Cache::open(cache)?;
    let _name = cache.lock_name(name)?;
    let lock = cache.lock()?;
    let place = cache.named(name);
    let found = Manifest::read(&place).ok_or_else(|| unknown(name))?;
    fs::remove_file(&place).map_err(|error| failed("remove", &place, &error))?;
    let tree = cache.tree(&found.prepared.digest);
    if referred(&cache)?.0.contains(&found.prepared.digest) || !tree.is_dir() {
        return Ok(false);
    }
    cache.remove_tree(&lock, &tree)
}

/// Takes away what nothing refers to.
pub(super) fn prune(cache: &Path) -> Result<Pruned, Error> {
    let cache = Cache::open(cache)?;
    let lock = cache.lock()?;
    let mut pruned = Pruned::default();
    for (name, path) in cache.manifests()? {
        // `python` is built again by itself; of others, only their owner knows.
        let useless = name.is_none()
            && Manifest::read(&path).is_none_or(|found| found.state() != State::Current);
        if useless {
            fs::remove_file(&path).map_err(|error| failed("remove", &path, &error))?;
        }
    }
    let (digests, wheels) = referred(&cache)?;
    for tree in cache.trees()? {
        let digest = tree.file_name().unwrap_or_default().to_string_lossy();
        if digests.contains(&*digest) {
            continue;
        }
        let bytes = size(&tree)?;
        if cache.remove_tree(&lock, &tree)? {
            pruned.trees += 1;
            pruned.bytes += bytes;
        } else {
            pruned.kept += 1;
        }
    }
    let kept = cache.wheels();
    let listed = fs::read_dir(kept).and_then(|entries| {
        entries
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<Vec<_>>>()
    });
    for path in listed.map_err(|error| failed("list", kept, &error))? {
        let digest = path.file_name().unwrap_or_default().to_string_lossy();
        if !wheels.contains(&*digest) {
            pruned.bytes += size(&path)?;
            pruned.wheels += 1;
            fs::remove_dir_all(&path).map_err(|error| failed("remove", &path, &error))?;
        }
    }
    Ok(pruned)
}

/// Digests of trees and of wheels that a manifest names.
fn referred(cache: &Cache) -> Result<(HashSet<String>, HashSet<String>), Error> {
    let (mut trees, mut wheels) = (HashSet::new(), HashSet::new());
    for (_, path) in cache.manifests()? {
        if let Some(found) = Manifest::read(&path) {
            trees.insert(found.prepared.digest);
            wheels.extend(found.recipe.into_iter().flat_map(|recipe| recipe.wheels));
        }
    }
    Ok((trees, wheels))
}

pub(super) fn size(folder: &Path) -> Result<u64, Error> {
    let mut bytes = 0;
    for entry in super::tree::sorted_entries(folder)? {
        let found = entry
            .metadata()
            .map_err(|error| failed("look at", &entry.path(), &error))?;
        bytes += if found.is_dir() {
            size(&entry.path())?
        } else {
            found.len()
        };
    }
    Ok(bytes)
}
