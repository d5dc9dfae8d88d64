//! Unpacks what came from elsewhere. Everything in an archive is hostile: names, links, sizes,
//! kinds. All that is made is made below one directory.

mod directory;
mod image;
mod layer;
mod stream;
#[cfg(test)]
mod tests;

use std::path::Path;

use stockade_core::error::{Error, ErrorKind};

use super::failed;
use super::progress::Progress;
use super::room::Room;
use super::spec::Base;
use super::tree::make_dir;

/// Unpacks a base into the new directory `root`. `scratch` is for what is needed meanwhile.
pub(super) fn unpack(
    base: &Base,
    root: &Path,
    scratch: &Path,
    space: &mut Room,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    make_dir(root).map_err(|error| failed("make", root, &error))?;
    match base {
        Base::Host | Base::Interpreter(_) => Err(Error::new(
            ErrorKind::Bug,
            "the host's Python is no archive",
        )),
        Base::Directory(path) => {
            progress.begin(&format!("copy `{}`", path.display()), 1);
            directory::copy(path, root, space)
        }
        Base::Tar(path) => {
            progress.begin(&format!("unpack `{}`", path.display()), 1);
            let mut whole = || stream::open(path);
            layer::apply(&mut whole, root, space).map_err(|error| within(path, &error))
        }
        Base::Image(path) => image::unpack(path, root, scratch, space, progress)
            .map_err(|error| within(path, &error)),
    }
}

/// The same error, with the archive that it is about.
fn within(path: &Path, error: &Error) -> Error {
    let text = format!("cannot unpack `{}`: {error}", path.display());
    let hints = error.hints().iter();
    hints.fold(Error::new(error.kind(), text), |error, hint| {
        error.hint(hint.clone())
    })
}

/// What an archive has and may not have.
fn refused(what: &str, why: &str) -> Error {
    Error::new(
        ErrorKind::InvalidPolicy,
        format!("the entry `{what}` {why}"),
    )
}
