//! Maps with text keys in the order in which they were first put.

use std::sync::Arc;

use super::{Extent, Value};
use crate::error::Fallible;

/// Up to so many entries are looked through; more have an index.
const SCANNED_MAX: usize = 8;

/// Bytes that one entry takes, its place in the index included.
pub(crate) const ENTRY_BYTES: u64 = size_of::<(Arc<str>, Value)>() as u64 + 4;

/// Entries in order. No hashing: nothing depends on a seed, and no keys collide.
#[derive(Debug)]
pub struct Map {
    extent: Extent,
    entries: Vec<(Arc<str>, Value)>,
    /// Positions in the order of the keys; empty for few entries.
    index: Vec<u32>,
}

impl Map {
    pub(crate) fn new(entries: Vec<(Arc<str>, Value)>) -> Fallible<Self> {
        let (entries, index) = if entries.len() <= SCANNED_MAX {
            (few(entries), Vec::new())
        } else {
            many(entries)
        };
        let mut extent = Extent::of(entries.iter().map(|(_, value)| value))?;
        let keys: u64 = entries.iter().map(|(key, _)| key.len() as u64).sum();
        extent.bytes = extent.bytes.saturating_add(keys);
        Ok(Self {
            extent,
            entries,
            index,
        })
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent
    }

    /// The entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[(Arc<str>, Value)] {
        &self.entries
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value at `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    /// Where `key` is.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|(name, _)| **name == *key);
        }
        let name = |at: &u32| &*self.entries[*at as usize].0;
        let found = self.index.binary_search_by(|at| name(at).cmp(key)).ok()?;
        Some(self.index[found] as usize)
    }
}

fn few(entries: Vec<(Arc<str>, Value)>) -> Vec<(Arc<str>, Value)> {
    let repeats = entries
        .iter()
        .enumerate()
        .any(|(at, (key, _))| entries[..at].iter().any(|(other, _)| other == key));
    if !repeats {
        return entries;
    }
    let mut kept: Vec<(Arc<str>, Value)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match kept.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

/// The entries without repeats, and their index.
fn many(mut entries: Vec<(Arc<str>, Value)>) -> (Vec<(Arc<str>, Value)>, Vec<u32>) {
    let mut index: Vec<u32> = (0..).take(entries.len()).collect();
    let sort = |index: &mut Vec<u32>, entries: &[(Arc<str>, Value)]| {
        index.sort_by(|a, b| entries[*a as usize].0.cmp(&entries[*b as usize].0));
    };
    sort(&mut index, &entries);
    let mut keep = vec![true; entries.len()];
    // The sort is stable: within a run of equal keys the first position comes first.
    for run in index.chunk_by(|a, b| entries[*a as usize].0 == entries[*b as usize].0) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        if first != last {
            run[1..].iter().for_each(|at| keep[*at as usize] = false);
        }
    }
    if keep.iter().all(|keep| *keep) {
        return (entries, index);
    }
    let mut lasts = Vec::new();
    for run in index.chunk_by(|a, b| entries[*a as usize].0 == entries[*b as usize].0) {
        if let [first, .., last] = run {
            lasts.push((*first as usize, *last as usize));
        }
    }
    for (first, last) in lasts {
        entries[first].1 = entries[last].1.clone();
    }
    let mut at = 0;
    entries.retain(|_| {
        at += 1;
        keep[at - 1]
    });
    index = if entries.len() > SCANNED_MAX {
        (0..).take(entries.len()).collect()
    } else {
        Vec::new()
    };
    sort(&mut index, &entries);
    (entries, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_keys_the_first_place_and_the_last_value_count() {
        for count in [3, 5, 40] {
            let entries = (0..count * 2)
                .map(|n| (Arc::from(format!("k{}", n % count)), Value::Int(n)))
                .collect();
            let map = Map::new(entries).unwrap();
            assert_eq!(map.len(), usize::try_from(count).unwrap());
            for (at, (key, value)) in map.entries().iter().enumerate() {
                assert_eq!(**key, format!("k{at}"));
                assert_eq!(*value, Value::Int(count + i64::try_from(at).unwrap()));
                assert_eq!(map.get(key), Some(value));
            }
            assert_eq!(map.get("absent"), None);
        }
    }
}
