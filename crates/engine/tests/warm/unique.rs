//! Copies of one interpreter differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::{run, value_of, warm};

/// Everything that a program draws, by its name, as text. What was loaded by the zygote is drawn
/// from as it is found.
const DRAW: &str = "\
import os, random, secrets, ssl, tempfile, time, uuid
drawn = {
    'random': random.random(),
    'randbytes': random.randbytes(8).hex(),
    'state': hash(random.getstate()),
    'generator': random.Random().random(),
    'system': random.SystemRandom().random(),
    'secrets': secrets.token_hex(8),
    'urandom': os.urandom(8).hex(),
    'getrandom': os.getrandom(8).hex(),
    'uuid1': str(uuid.uuid1()),
    'node': uuid.getnode(),
    'uuid4': str(uuid.uuid4()),
    'openssl': ssl.RAND_bytes(8).hex(),
    'tempfile': tempfile.mkdtemp(),
    'candidate': next(tempfile._get_candidate_names()),
}
emit({name: str(value) for name, value in drawn.items()})
";

/// How many copies are compared.
const COPIES: usize = 24;

#[test]
fn no_two_copies_draw_the_same() {
    warm(&[], 2);
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for _ in 0..COPIES {
        let record = run(DRAW, &[]);
        let drawn: BTreeMap<String, String> = value_of(&record);
        for (name, value) in drawn {
            seen.entry(name).or_default().insert(value);
        }
    }
    for (name, values) in &seen {
        assert_eq!(values.len(), COPIES, "{name}: {values:?}");
    }
    assert!(seen.len() >= 14);
}

#[test]
fn hash_seeds_are_those_of_the_zygotes_and_the_record_says_which() {
    warm(&[], 2);
    let mut seeds: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    for _ in 0..8 {
        let record = run("emit(hash('what a seed decides'))", &[]);
        let warmth = record.evidence.warmth.unwrap();
        assert_eq!(warmth.seed_classes, 2);
        seeds
            .entry(warmth.seed_class)
            .or_default()
            .insert(value_of(&record));
    }
    assert_eq!(seeds.len(), 2, "both are used: {seeds:?}");
    assert!(seeds.values().all(|of_one| of_one.len() == 1), "{seeds:?}");
    assert_ne!(seeds[&0], seeds[&1]);
}
