//! Tries a template before it is used: its modules must import, with no thread left, what programs
//! would make for themselves in each run is made once, and copies of its interpreter must differ.

use serde_json::Value;
use stockade_core::error::{Error, ErrorKind};

use super::build::Shop;
use super::draft::Draft;
use super::pin::Pins;

const PRELOAD: &str = include_str!("../../python/preload_probe.py");
const FONTS: &str = include_str!("../../python/font_cache.py");

/// Imports what is to be preloaded, and makes matplotlib's list of fonts.
pub(super) fn try_out(
    shop: &mut Shop<'_>,
    draft: &mut Draft,
    pins: Option<&Pins>,
) -> Result<(), Error> {
    let name = shop.spec.name.clone();
    shop.progress.begin("try to import what is preloaded", 1);
    let template = draft.template(&name)?;
    let list = serde_json::to_string(&draft.preload).map_err(std::io::Error::other);
    let list = list.map_err(|error| Error::new(ErrorKind::Bug, error.to_string()))?;
    // A list of plain words reads the same in both languages.
    let source = PRELOAD.replace("MODULES", &list);
    let attempt = format!("import what template `{name}` preloads");
    let told = shop.engine.trial(&template, source, &attempt)?;
    check(&name, &told)?;
    let has = |wanted: &str| {
        pins.iter()
            .flat_map(|pins| &pins.wheels)
            .any(|wheel| wheel.name == wanted)
    };
    if has("matplotlib") {
        shop.progress.begin("list matplotlib's fonts", 1);
        let attempt = "make matplotlib's list of fonts";
        let told = shop.engine.trial(&template, FONTS.to_owned(), attempt)?;
        let made = told["name"].as_str().zip(told["text"].as_str());
        let Some((file, text)) = made.filter(|(file, _)| plain(file)) else {
            let text = format!("cannot {attempt}: it made none");
            return Err(Error::new(ErrorKind::Refused, text));
        };
        draft.home(file, text.as_bytes())?;
    }
    if draft.preload.is_empty() {
        // Nobody has asked for warm starts, and not every image has what they need.
        return Ok(());
    }
    shop.progress.begin("compare copies of its interpreter", 1);
    shop.engine.check_clones(&draft.template(&name)?)
}

/// The name comes out of the boundary.
fn plain(file: &str) -> bool {
    file.starts_with("fontlist-")
        && file
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-.".contains(c))
}

fn check(name: &str, told: &Value) -> Result<(), Error> {
    if let Some((module, why)) = told["module"].as_str().zip(told["why"].as_str()) {
        let text = format!("cannot import `{module}`, which template `{name}` preloads: {why}");
        return Err(Error::new(ErrorKind::Refused, text)
            .hint("add its package to `packages`, or take it out of `preload`"));
    }
    if let Some(module) = told["thread"].as_str() {
        let text =
            format!("`{module}`, which template `{name}` preloads, starts a thread at import");
        return Err(Error::new(ErrorKind::Refused, text)
            .hint("take it out of `preload`: what has threads cannot be cloned"));
    }
    match told["imported"].as_u64() {
        Some(_) => Ok(()),
        None => Err(Error::new(
            ErrorKind::Refused,
            format!("template `{name}` does not say what it imported"),
        )),
    }
}
