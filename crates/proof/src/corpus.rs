//! All probes, as they were when the binary was built.

use std::collections::BTreeMap;

use stockade::{Guarantee, LimitId};

use crate::header::{self, Fault};
use crate::probe::{Attack, Probe};

/// Path below `escape/` and content of every probe.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// Probes, sorted by kind and number. Holding one proves that every header was understood and no
/// two probes have one id.
#[derive(Clone, Debug)]
pub struct Corpus {
    probes: Vec<Probe>,
}

impl Corpus {
    /// The corpus in this binary.
    ///
    /// # Errors
    /// The first header that is not understood; a test of this crate keeps it from happening.
    pub fn embedded() -> Result<Self, Fault> {
        Self::read(FILES)
    }

    /// The corpus in `files`, each a path (`leak/001_env.py`) and its content.
    ///
    /// # Errors
    /// The first header that is not understood, or an id that two files have.
    pub fn read(files: &[(&str, &[u8])]) -> Result<Self, Fault> {
        let mut seen = BTreeMap::new();
        let mut probes = Vec::with_capacity(files.len());
        for (path, content) in files {
            let probe = header::probe(path, content)?;
            if let Some(other) = seen.insert(probe.id.clone(), *path) {
                let why = format!("`{other}` has the id `{}` as well", probe.id);
                return Err(Fault::new(path, "id", &why));
            }
            probes.push(probe);
        }
        Ok(Self { probes })
    }

    /// Every probe.
    #[must_use]
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// The probe called `id`, as in `escape/064`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.id == id)
    }

    /// Those that attack `guarantee`.
    pub fn on_guarantee(&self, guarantee: Guarantee) -> impl Iterator<Item = &Probe> {
        self.on(Attack::Guarantee(guarantee))
    }

    /// Those that attack `limit`.
    pub fn on_limit(&self, limit: LimitId) -> impl Iterator<Item = &Probe> {
        self.on(Attack::Limit(limit))
    }

    fn on(&self, attack: Attack) -> impl Iterator<Item = &Probe> {
        self.probes
            .iter()
            .filter(move |probe| probe.attacks.contains(&attack))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_of_the_embedded_corpus_is_understood() {
        if let Err(fault) = Corpus::embedded() {
            panic!("{fault}");
        }
    }

    #[test]
    fn an_id_belongs_to_one_file() {
        let file = b"# id: leak/001\n# technique: t\n# family: f\n# attacks: no-network\n\
            # context: job\n# expect: found false\n# must-not: m\n# control: outside\n";
        let files: [(&str, &[u8]); 2] = [("leak/001_a.py", file), ("leak/001_b.py", file)];
        let fault = Corpus::read(&files).unwrap_err();
        assert!(fault.to_string().contains("leak/001_a.py"), "{fault}");
    }
}
