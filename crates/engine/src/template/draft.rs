//! A template under construction, whatever it is made of.

use std::path::{Path, PathBuf};

use stockade_core::error::Error;
use stockade_core::template::Template;

use super::cache::Building;
use super::failed;
use super::index::Index;
use super::manifest::{Manifest, Prepared, Recipe, Source};
use super::module;
use super::tree::{Tree, make_dir, utf8};

/// A part of a template that lies beside its root.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// Stockade's modules and the packages, where they are bound over a directory.
    Site,
    /// Nothing, bound over what is to be hidden.
    Empty,
}

/// What is bound read-only into the guest's root.
pub(super) enum Bound {
    /// A directory of the host, at the same path.
    Host(PathBuf),
    /// A part of the template, at a path of the guest.
    Part(Part, PathBuf),
}

/// What a template has besides its base.
#[derive(Default)]
pub(super) struct Additions<'a> {
    /// Packages, unpacked and compiled; all of it is moved.
    pub(super) packages: Option<&'a Path>,
    /// Path in the guest and file or directory of the host.
    pub(super) files: &'a [(String, PathBuf)],
    pub(super) env: &'a [(String, String)],
    pub(super) preload: &'a [String],
}

/// A tree that is whole but for what trials of it may still add.
pub(super) struct Draft {
    pub(super) building: Building,
    pub(super) tree: Tree,
    pub(super) version: (u32, u32, u32),
    pub(super) interpreter: PathBuf,
    pub(super) site: PathBuf,
    pub(super) bound: Vec<Bound>,
    pub(super) env: Vec<(String, String)>,
    pub(super) preload: Vec<String>,
    pub(super) home: Vec<(String, String)>,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Empty => "empty",
        }
    }
}

impl Draft {
    /// Puts in what is the same for every base: Stockade's modules, packages, files, settings.
    pub(super) fn add(
        &mut self,
        compiler: Option<&Path>,
        additions: &Additions<'_>,
    ) -> Result<(), Error> {
        self.tree.stop_watching();
        let place = self.building.place();
        let empty = place.join(Part::Empty.name());
        make_dir(&empty).map_err(|error| failed("make", &empty, &error))?;
        let staged = place.join("staged");
        module::stage(compiler, &staged, &self.site)?;
        for folder in [Some(staged.as_path()), additions.packages]
            .into_iter()
            .flatten()
        {
            self.tree.adopt(folder, &self.site)?;
            // Directories that both had.
            std::fs::remove_dir_all(folder).map_err(|error| failed("remove", folder, &error))?;
        }
        for (path, source) in additions.files {
            self.tree.copy_new(source, Path::new(path))?;
        }
        for (name, value) in additions.env {
            self.env.retain(|(other, _)| other != name);
            self.env.push((name.clone(), value.clone()));
        }
        self.preload = additions.preload.to_vec();
        Ok(())
    }

    /// The template as it is so far, to be tried.
    pub(super) fn template(&self, name: &str) -> Result<Template, Error> {
        let links = self.tree.top_links();
        let prepared = self.prepared(self.building.place(), String::new(), links, true)?;
        Ok(prepared.template(name))
    }

    /// Puts a file into the guest's home directory, in every run.
    pub(super) fn home(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.site.join("_stockade_home").join(name);
        self.tree.write(&path, bytes)?;
        self.home.push((utf8(&path)?.to_owned(), name.to_owned()));
        Ok(())
    }

    /// Bytes of its own files.
    pub(super) fn bytes(&self) -> u64 {
        self.tree.bytes()
    }

    /// Puts it in its place.
    pub(super) fn finish(mut self, recipe: Option<Recipe>) -> Result<Manifest, Error> {
        let mut settings = vec![format!("preload {}", self.preload.join(" "))];
        settings.extend(
            self.env
                .iter()
                .map(|(name, value)| format!("env {name}={value}")),
        );
        settings.extend(
            self.home
                .iter()
                .map(|(to, name)| format!("home {name} {to}")),
        );
        let limits = recipe.iter().flat_map(|recipe| &recipe.limits);
        settings.extend(limits.map(|(name, value)| format!("limit {name}={value}")));
        settings.push(format!("interpreter {}", self.interpreter.display()));
        self.tree.describe(
            Path::new("settings"),
            format!("settings {}", settings.join("\n")),
        );
        let (index, links, sources) = self.tree.take();
        index.write(self.building.place())?;
        let digest = index.digest();
        let place = self.building.destination(&digest);
        let prepared = self.prepared(&place, digest.clone(), links, recipe.is_some())?;
        settle(self.building, &index, &digest, sources, prepared, recipe)
    }

    fn prepared(
        &self,
        place: &Path,
        digest: String,
        symlinks: Vec<(String, String)>,
        built: bool,
    ) -> Result<Prepared, Error> {
        let mut binds = Vec::new();
        for bound in &self.bound {
            binds.push(match bound {
                Bound::Host(path) => (path.clone(), utf8(path)?.to_owned()),
                Bound::Part(part, path) => (place.join(part.name()), utf8(path)?.to_owned()),
            });
        }
        Ok(Prepared {
            digest,
            built,
            version: self.version,
            interpreter: utf8(&self.interpreter)?.to_owned(),
            site_dir: utf8(&self.site)?.to_owned(),
            root: place.join("root"),
            binds,
            symlinks,
            env: self.env.clone(),
            preload: self.preload.clone(),
            home: self.home.clone(),
        })
    }
}

fn settle(
    building: Building,
    index: &Index,
    digest: &str,
    sources: Vec<Source>,
    prepared: Prepared,
    recipe: Option<Recipe>,
) -> Result<Manifest, Error> {
    building.finish(index, digest)?;
    Manifest::new(sources, prepared, recipe)
}
