//! An image archive: layers in a tar archive, listed as `docker save` does (`manifest.json`) or as
//! an OCI layout does (`index.json`).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use stockade_core::error::{Error, ErrorKind};

use super::super::failed;
use super::super::progress::Progress;
use super::super::room::Room;
use super::refused;
use super::{layer, stream};

/// A list of layers longer than this is none.
const DOCUMENT_BYTES_MAX: u64 = 4 << 20;
/// The kernel's own overlay stops at 500.
const LAYERS_MAX: usize = 500;
const LINKS_MAX: usize = 8;
const ENTRIES_MAX: usize = 100_000;
const NESTED_MAX: usize = 4;

/// Where in the archive a file of it is.
#[derive(Clone, Debug)]
enum Member {
    File {
        offset: u64,
        length: u64,
    },
    /// Old archives repeat a layer by a link to it.
    Link(PathBuf),
}

struct Archive {
    path: PathBuf,
    members: BTreeMap<PathBuf, Member>,
}

#[derive(Deserialize)]
struct Saved {
    #[serde(rename = "Config")]
    config: PathBuf,
    #[serde(rename = "Layers")]
    layers: Vec<PathBuf>,
    #[serde(rename = "RepoTags")]
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Listing {
    manifests: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
    #[serde(default, rename = "mediaType")]
    media: String,
    platform: Option<Platform>,
}

#[derive(Deserialize)]
struct Platform {
    architecture: String,
    os: String,
}

#[derive(Deserialize)]
struct ImageManifest {
    config: Descriptor,
    layers: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Config {
    rootfs: RootFs,
}

#[derive(Deserialize)]
struct RootFs {
    diff_ids: Vec<String>,
}

/// Unpacks the one image of an archive.
pub(super) fn unpack(
    path: &Path,
    root: &Path,
    scratch: &Path,
    space: &mut Room,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let archive = Archive::open(path, scratch, space)?;
    let (layers, config) = if archive.has("index.json") {
        archive.of_layout()?
    } else if archive.has("manifest.json") {
        archive.of_saved()?
    } else {
        let text = "it has neither `index.json` nor `manifest.json`";
        return Err(Error::new(ErrorKind::InvalidPolicy, text)
            .hint("write one with `docker save` or `skopeo copy … oci-archive:FILE`")
            .hint("an archive of a root file system is `base = { tar = \"FILE\" }`"));
    };
    let ids = config.rootfs.diff_ids;
    if layers.len() != ids.len() || layers.len() > LAYERS_MAX {
        let text = format!("it has {} layers and lists {}", layers.len(), ids.len());
        return Err(Error::new(ErrorKind::InvalidPolicy, text));
    }
    progress.begin("unpack the image", layers.len() as u64);
    for (place, id) in layers.iter().zip(ids) {
        progress.next(&place.to_string_lossy());
        let found = stream::digest(stream::Capped::new(archive.layer(place)?, space));
        let found = found.map_err(|error| stream::unreadable(&error))?;
        if id.strip_prefix("sha256:") != Some(&found) {
            let text = format!("the layer `{}` is {found}, not {id}", place.display());
            return Err(Error::new(ErrorKind::InvalidPolicy, text));
        }
        layer::apply(&mut || archive.layer(place), root, space)?;
    }
    Ok(())
}

impl Archive {
    /// Reads where everything is. A compressed archive is decompressed first, into `scratch`.
    fn open(path: &Path, scratch: &Path, space: &Room) -> Result<Self, Error> {
        let mut start = [0; 262];
        let file = File::open(path).map_err(|error| failed("open", path, &error))?;
        let plain = { &file }.read_exact(&mut start).is_ok() && start[257..].starts_with(b"ustar");
        let mut archive = Self {
            path: path.to_path_buf(),
            members: BTreeMap::new(),
        };
        if !plain {
            archive.path = scratch.join("archive.tar");
            let mut from = stream::open(path)?.take(space.bytes_left().saturating_add(1));
            let written =
                File::create(&archive.path).and_then(|mut to| io::copy(&mut from, &mut to));
            let written = written.map_err(|error| stream::unreadable(&error))?;
            space.clone().take(path, written)?;
        }
        archive.index()?;
        Ok(archive)
    }

    fn index(&mut self) -> Result<(), Error> {
        let path = &self.path;
        let file = File::open(path).map_err(|error| failed("open", path, &error))?;
        let mut tar = tar::Archive::new(file);
        let entries = tar
            .entries_with_seek()
            .map_err(|error| stream::unreadable(&error))?;
        for entry in entries {
            let entry = entry.map_err(|error| stream::unreadable(&error))?;
            let bytes = entry.path_bytes().into_owned();
            let name = plain(Path::new(&*String::from_utf8_lossy(&bytes)));
            let Some(name) = name else {
                return Err(refused(
                    &String::from_utf8_lossy(&bytes),
                    "leads out of the archive",
                ));
            };
            let kind = entry.header().entry_type();
            let member = if kind.is_file() {
                Member::File {
                    offset: entry.raw_file_position(),
                    length: entry.size(),
                }
            } else if kind.is_symlink() || kind.is_hard_link() {
                let to = entry.link_name_bytes().unwrap_or_default().into_owned();
                let to = PathBuf::from(String::from_utf8_lossy(&to).into_owned());
                // A hard link's target is a path from the top.
                let above = name.parent().filter(|_| kind.is_symlink());
                Member::Link(above.unwrap_or(Path::new("")).join(to))
            } else {
                continue;
            };
            self.members.insert(name, member);
            if self.members.len() > ENTRIES_MAX {
                let text = format!("it has more than {ENTRIES_MAX} entries");
                return Err(Error::new(ErrorKind::InvalidPolicy, text));
            }
        }
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        self.members.contains_key(Path::new(name))
    }

    /// The bytes of a member, as they are.
    fn member(&self, name: &Path) -> Result<io::Take<File>, Error> {
        let missing = || {
            let text = format!("it names `{}` and does not have it", name.display());
            Error::new(ErrorKind::InvalidPolicy, text)
        };
        let mut name = plain(name).ok_or_else(missing)?;
        for _ in 0..LINKS_MAX {
            match self.members.get(&name).ok_or_else(missing)? {
                Member::File { offset, length } => {
                    return stream::stretch(&self.path, *offset, *length);
                }
                Member::Link(to) => name = plain(to).ok_or_else(missing)?,
            }
        }
        Err(missing())
    }

    fn layer(&self, name: &Path) -> Result<Box<dyn Read>, Error> {
        stream::decompressed(self.member(name)?).map_err(|error| stream::unreadable(&error))
    }

    fn document<T: DeserializeOwned>(&self, name: &Path) -> Result<T, Error> {
        let wrong = |why: String| {
            let text = format!("`{}` in it cannot be read: {why}", name.display());
            Error::new(ErrorKind::InvalidPolicy, text)
        };
        let mut bytes = Vec::new();
        self.member(name)?
            .take(DOCUMENT_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| wrong(error.to_string()))?;
        if bytes.len() as u64 > DOCUMENT_BYTES_MAX {
            return Err(wrong(format!(
                "it is longer than {DOCUMENT_BYTES_MAX} bytes"
            )));
        }
        serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))
    }

    fn of_saved(&self) -> Result<(Vec<PathBuf>, Config), Error> {
        let mut images: Vec<Saved> = self.document(Path::new("manifest.json"))?;
        let Some(image) = images.pop() else {
            return Err(Error::new(ErrorKind::InvalidPolicy, "it has no image"));
        };
        if !images.is_empty() {
            images.push(image);
            let tags = images
                .into_iter()
                .flat_map(|image| image.tags.unwrap_or_default());
            return Err(several(&tags.collect::<Vec<_>>()));
        }
        let config = self.document(&image.config)?;
        Ok((image.layers, config))
    }

    fn of_layout(&self) -> Result<(Vec<PathBuf>, Config), Error> {
        let mut listing: Listing = self.document(Path::new("index.json"))?;
        for _ in 0..NESTED_MAX {
            let one = chosen(listing.manifests)?;
            let place = self.blob(&one)?;
            if one.media.contains("manifest.list") || one.media.contains("image.index") {
                listing = self.document(&place)?;
                continue;
            }
            let manifest: ImageManifest = self.document(&place)?;
            let config = self.document(&self.blob(&manifest.config)?)?;
            let layers = manifest.layers.iter().map(|layer| self.blob(layer));
            return Ok((layers.collect::<Result<_, _>>()?, config));
        }
        Err(Error::new(
            ErrorKind::InvalidPolicy,
            "its lists of images go too deep",
        ))
    }

    /// Where the bytes of a digest are, and that they have it.
    fn blob(&self, descriptor: &Descriptor) -> Result<PathBuf, Error> {
        let hash = descriptor
            .digest
            .strip_prefix("sha256:")
            .unwrap_or_default();
        if hash.len() != 64 || !hash.chars().all(|c| c.is_ascii_hexdigit()) {
            let text = format!("{:?} is no SHA-256", descriptor.digest);
            return Err(Error::new(ErrorKind::InvalidPolicy, text));
        }
        let place = Path::new("blobs/sha256").join(hash);
        let found = stream::digest(self.member(&place)?);
        let found = found.map_err(|error| stream::unreadable(&error))?;
        if found != hash {
            let text = format!("`{}` in it has the digest {found}", place.display());
            return Err(Error::new(ErrorKind::InvalidPolicy, text));
        }
        Ok(place)
    }
}

/// The image for this machine.
fn chosen(mut found: Vec<Descriptor>) -> Result<Descriptor, Error> {
    let ours = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    if found.len() > 1 {
        found.retain(|one| {
            let platform = one.platform.as_ref();
            platform.is_some_and(|found| found.os == "linux" && found.architecture == ours)
        });
    }
    match (found.pop(), found.as_slice()) {
        (Some(one), []) => Ok(one),
        (Some(one), others) => {
            let all = others.iter().chain([&one]).map(|one| one.digest.clone());
            Err(several(&all.collect::<Vec<_>>()))
        }
        (None, _) => {
            let text = format!("it has no image for linux on {ours}");
            Err(Error::new(ErrorKind::InvalidPolicy, text))
        }
    }
}

fn several(names: &[String]) -> Error {
    let text = format!("it has several images: {}", names.join(", "));
    Error::new(ErrorKind::InvalidPolicy, text).hint("save one alone")
}

/// The path without `.` and `..`; `None` when it leads out.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}
