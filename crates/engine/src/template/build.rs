//! Builds a template: base, packages, files; tries it; puts it in its place.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use stockade_core::error::{Error, ErrorKind};

use super::cache::{Building, Cache};
use super::draft::{Additions, Draft};
use super::manifest::{Manifest, Recipe, State};
use super::module::{self, Faulty};
use super::pin::Pins;
use super::pip::Pip;
use super::progress::Progress;
use super::search::Search;
use super::spec::{Base, Spec};
use super::tree::{describe_bound, hex, make_dir};
use super::{content, failed, probe, rootfs, warm};
use crate::engine::Engine;

/// A template that was built, or found as it would be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Its name.
    pub name: String,
    /// SHA-256 over all that it holds.
    pub digest: String,
    /// Version of its interpreter.
    pub version: (u32, u32, u32),
    /// Bytes of its own files.
    pub bytes: u64,
    /// Whether it was there already.
    pub found: bool,
}

/// Where a template is built.
pub(super) struct Shop<'a> {
    pub(super) engine: &'a Engine,
    pub(super) spec: &'a Spec,
    /// A directory of wheels that is looked in instead of the index.
    pub(super) links: Option<&'a Path>,
    pub(super) progress: &'a mut dyn Progress,
}

/// The interpreter that packages are for.
pub(super) struct Interpreter {
    /// One of the host that writes what it reads, where there is one.
    pub(super) compiler: Option<PathBuf>,
    /// What pip must be told, where it is not the host's own.
    pub(super) target: Vec<String>,
    pub(super) version: (u32, u32, u32),
    pub(super) platform: String,
}

impl Shop<'_> {
    pub(super) fn build(&mut self) -> Result<Built, Error> {
        let spec = self.spec;
        let pins = self.pins()?;
        let cache = Cache::open(self.engine.paths.cache())?;
        let _name = cache.lock_name(&spec.name)?;
        let place = cache.named(&spec.name);
        let inputs = self.inputs(pins.as_ref())?;
        if let Some(found) = Manifest::read(&place)
            && found.state() == State::Current
            && let Some(recipe) = &found.recipe
            && recipe.inputs == inputs
        {
            return Ok(built(&spec.name, &found, recipe.bytes, true));
        }
        let building = cache.start(&cache.lock()?)?;
        let (mut draft, interpreter) = self.base(building)?;
        let packages = match &pins {
            Some(pins) => Some(self.packages(&cache, &draft, pins, &interpreter)?),
            None => None,
        };
        let mut preload = vec!["stockade_guest".to_owned()];
        preload.extend(
            spec.preload
                .iter()
                .filter(|name| *name != "stockade_guest")
                .cloned(),
        );
        draft.add(
            interpreter.compiler.as_deref(),
            &Additions {
                packages: packages.as_deref(),
                files: &spec.files,
                env: &spec.env,
                preload: &preload,
            },
        )?;
        warm::try_out(self, &mut draft, pins.as_ref())?;
        let recipe = Recipe {
            description: spec.description.clone(),
            inputs,
            wheels: pins
                .iter()
                .flat_map(|pins| &pins.wheels)
                .map(|one| one.sha256.clone())
                .collect(),
            packages: pins
                .iter()
                .flat_map(|pins| &pins.wheels)
                .map(|one| (one.name.clone(), one.version.clone()))
                .collect(),
            bytes: draft.bytes(),
            limits: spec.limits.clone(),
        };
        let bytes = recipe.bytes;
        self.progress.begin("write it to the disk", 1);
        // Until the manifest is there, nothing refers to the tree.
        let _lock = cache.lock()?;
        let manifest = draft.finish(Some(recipe))?;
        manifest.write(&place)?;
        Ok(built(&spec.name, &manifest, bytes, false))
    }

    /// What the packages come to now. Writes it to the lock's file.
    pub(super) fn lock(&mut self) -> Result<(PathBuf, usize), Error> {
        let spec = self.spec;
        let cache = Cache::open(self.engine.paths.cache())?;
        let building = cache.start(&cache.lock()?)?;
        let scratch = building.place().join("pip");
        let (_draft, interpreter) = self.base(building)?;
        make_dir(&scratch).map_err(|error| failed("make", &scratch, &error))?;
        let pip = self.pip(&interpreter, &scratch)?;
        self.progress.begin("resolve the packages", 1);
        let wheels = match spec.packages.as_slice() {
            [] => Vec::new(),
            packages => pip.resolve(packages, self.links)?,
        };
        let count = wheels.len();
        let (major, minor, _) = interpreter.version;
        let pins = Pins::new(
            format!("{major}.{minor}"),
            interpreter.platform,
            spec.packages.clone(),
            wheels,
        );
        let partial = spec.lock.with_extension("lock.partial");
        fs::write(&partial, pins.text())
            .and_then(|()| fs::rename(&partial, &spec.lock))
            .map_err(|error| failed("write", &spec.lock, &error))?;
        Ok((spec.lock.clone(), count))
    }

    fn pins(&self) -> Result<Option<Pins>, Error> {
        if self.spec.packages.is_empty() {
            return Ok(None);
        }
        Pins::of(self.spec).map(Some)
    }

    fn base(&mut self, building: Building) -> Result<(Draft, Interpreter), Error> {
        let spec = self.spec;
        let search = match &spec.base {
            Base::Host => self.engine.search.clone(),
            Base::Interpreter(path) => Search {
                chosen: Some(path.clone()),
                ..self.engine.search.clone()
            },
            Base::Directory(_) | Base::Tar(_) | Base::Image(_) => {
                return rootfs::draft(self, building);
            }
        };
        self.progress.begin("copy the interpreter", 1);
        let found = search.interpreter()?;
        let report = probe::ask(&found)?;
        let interpreter = Interpreter {
            compiler: Some(report.interpreter.clone()),
            target: Vec::new(),
            version: report.version,
            platform: report.platform.clone(),
        };
        let draft = content::draft(building, &found, &report, spec.room.clone())?;
        Ok((draft, interpreter))
    }

    /// A Python of the host that is of the same version.
    pub(super) fn compiler(&self, major: u32, minor: u32) -> Option<PathBuf> {
        let found = self.engine.search.interpreter().ok()?;
        let report = probe::ask(&found).ok()?;
        ((report.version.0, report.version.1) == (major, minor)).then_some(report.interpreter)
    }

    fn pip(&self, interpreter: &Interpreter, scratch: &Path) -> Result<Pip, Error> {
        let program = match (&interpreter.compiler, interpreter.target.is_empty()) {
            (Some(program), _) => program.clone(),
            (None, _) => probe::ask(&self.engine.search.interpreter()?)?.interpreter,
        };
        Pip::of(&program, scratch, interpreter.target.clone())
    }

    /// Fetches and unpacks what the lock says; where that is.
    fn packages(
        &mut self,
        cache: &Cache,
        draft: &Draft,
        pins: &Pins,
        interpreter: &Interpreter,
    ) -> Result<PathBuf, Error> {
        self.refuse_other(pins, interpreter)?;
        let place = draft.building.place();
        let scratch = place.join("pip");
        let links = scratch.join("links");
        for folder in [&scratch, &links] {
            make_dir(folder).map_err(|error| failed("make", folder, &error))?;
        }
        let pip = self.pip(interpreter, &scratch)?;
        self.progress
            .begin("fetch the packages", pins.wheels.len() as u64);
        for wheel in &pins.wheels {
            self.progress
                .next(&format!("{} {}", wheel.name, wheel.version));
            let kept = pip.fetch(wheel, cache.wheels(), self.links)?;
            let link = links.join(&wheel.file);
            symlink(&kept, &link).map_err(|error| failed("make", &link, &error))?;
        }
        self.progress.begin("unpack the packages", 1);
        let folder = place.join("packages");
        pip.unpack(&pins.wheels, &links, &folder)?;
        fs::remove_dir_all(&scratch).map_err(|error| failed("remove", &scratch, &error))?;
        // Programs that start an interpreter by its path on this host.
        match fs::remove_dir_all(folder.join("bin")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("remove", &folder.join("bin"), &error));
            }
            Err(_) | Ok(()) => {}
        }
        if let Some(compiler) = &interpreter.compiler {
            self.progress.begin("compile the packages", 1);
            module::compile(compiler, &folder, &draft.site, Faulty::Stays)?;
        }
        Ok(folder)
    }

    fn refuse_other(&self, pins: &Pins, interpreter: &Interpreter) -> Result<(), Error> {
        let (major, minor, _) = interpreter.version;
        let python = format!("{major}.{minor}");
        if pins.python == python && pins.platform == interpreter.platform {
            return Ok(());
        }
        let text = format!(
            "the lock of template `{}` is for Python {} on {}, and this one is {python} on {}",
            self.spec.name, pins.python, pins.platform, interpreter.platform
        );
        let error = Error::new(ErrorKind::Refused, text);
        Err(match self.spec.builtin {
            None => error.hint("write it again with `stockade template lock FILE.toml`"),
            Some(_) => error
                .hint(format!(
                    "name a Python {} with `STOCKADE_PYTHON=/absolute/path/to/python3`",
                    pins.python
                ))
                .hint(format!(
                    "or make your own: `stockade template show {} --source > mine.toml`, then \
                     `stockade template lock mine.toml`",
                    self.spec.name
                )),
        })
    }

    /// What the template is made from, in one digest: the same inputs are not built again.
    fn inputs(&self, pins: Option<&Pins>) -> Result<String, Error> {
        let spec = self.spec;
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        add(&spec.text);
        add(&pins.map_or_else(String::new, Pins::text));
        match &spec.base {
            Base::Host => add(&self.engine.search.interpreter()?.to_string_lossy()),
            Base::Interpreter(path) => add(&path.to_string_lossy()),
            Base::Directory(path) | Base::Tar(path) | Base::Image(path) => add(&identity(path)?),
        }
        for (_, source) in &spec.files {
            add(&identity(source)?);
        }
        Ok(hex(&hash.finalize()))
    }
}

/// What changes with what is at a path, without reading it all.
fn identity(path: &Path) -> Result<String, Error> {
    let found = path
        .metadata()
        .map_err(|error| failed("look at", path, &error))?;
    if found.is_dir() {
        return describe_bound(path, &[]);
    }
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
    Ok(format!(
        "{} {} {} {} {seconds}.{nanos}",
        path.display(),
        found.dev(),
        found.ino(),
        found.len()
    ))
}

fn built(name: &str, manifest: &Manifest, bytes: u64, found: bool) -> Built {
    Built {
        name: name.to_owned(),
        digest: manifest.prepared.digest.clone(),
        version: manifest.prepared.version,
        bytes,
        found,
    }
}
