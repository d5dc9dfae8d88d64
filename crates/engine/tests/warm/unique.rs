//! Copies of one interpreter differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::{engine, run, value_of, warm};

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
    'uuid1': uuid.uuid1().fields[3:],
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

/// Where the guest's Python looks for modules.
fn site() -> String {
    let record = run(
        "import sys\nemit([path for path in sys.path if path.endswith('-packages')][-1])",
        &[],
    );
    value_of(&record)
}

/// Builds a template that preloads `module`, whose source is given; its name, or why not.
fn built(module: &str, source: &str) -> Result<String, stockade::Error> {
    let place = tempfile::tempdir().unwrap();
    let plain = module.replace('.', "-");
    let name = format!("warm-{plain}-{}", std::process::id());
    let (file, text) = (place.path().join("it.toml"), place.path().join("it.py"));
    std::fs::write(&text, source).unwrap();
    let (site, path) = (site(), module.replace('.', "/"));
    let spec = format!(
        "name = \"{name}\"\nbase = \"host\"\npreload = [\"{module}\"]\n\
         files = {{ \"{site}/{path}.py\" = \"it.py\" }}\n"
    );
    std::fs::write(&file, spec).unwrap();
    let done = engine().build_template(&file, None, &mut stockade::template::Silent);
    done.map(|_| name)
}

#[test]
fn a_module_that_seeds_itself_at_import_is_refused_by_name() {
    warm(&[], 1);
    for (module, source, named) in [
        (
            "seeded",
            "import random\n_mine = random.Random()",
            "`seeded._mine`",
        ),
        (
            "keyed",
            "import os\nclass Keys: pass\nkeys = Keys()\nkeys.salt = os.urandom(16)",
            "`keyed.keys.salt`",
        ),
        (
            "tokened",
            "import secrets\nTOKENS = {'csrf': secrets.token_hex(16)}",
            "`tokened.TOKENS['csrf']`",
        ),
        (
            "identified",
            "import uuid\nclass Session: ID = uuid.uuid4()",
            "`identified.Session.ID`",
        ),
    ] {
        let error = built(module, source).unwrap_err();
        assert_eq!(error.kind(), stockade::ErrorKind::Refused, "{error}");
        assert!(error.to_string().contains(named), "{error}");
        assert!(error.hints().len() >= 2);
    }
}

/// What each start makes the same is no secret, what each copy makes for itself differs, and what
/// the standard library drew at its import is drawn anew.
#[test]
fn a_module_that_draws_in_each_copy_is_accepted_and_its_copies_differ() {
    warm(&[], 1);
    let source = "\
import asyncio, logging, multiprocessing, os, random, sqlite3, ssl, tempfile, uuid
import concurrent.futures, email.utils, http.client, multiprocessing.pool, xml.dom, zipfile
uuid.getnode(), uuid.uuid1(), ssl.RAND_bytes(8), tempfile.mkdtemp()
FIXED = random.Random(7)
TABLE = bytes(range(64))
NAME = 'abcdef0123456789'
_mine = random.Random()
os.register_at_fork(after_in_child=_mine.seed)
";
    let name = built("drawing", source).unwrap();
    let policy = stockade::Policy::default().template(&name);
    engine().warm(&policy, 1).unwrap();
    let draw = "\
import drawing, multiprocessing
key = multiprocessing.current_process().authkey
drawn = {'own': drawing._mine.random(), 'key': bytes(key).hex()}
";
    let all = format!("{draw}{}", DRAW.replace("drawn = {", "drawn |= {"));
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for _ in 0..COPIES {
        let record = engine().run(&crate::run::job(&all), &policy).unwrap();
        assert!(record.evidence.warmth.is_some());
        let drawn: BTreeMap<String, String> = value_of(&record);
        for (name, value) in drawn {
            seen.entry(name).or_default().insert(value);
        }
    }
    for (name, values) in &seen {
        assert_eq!(values.len(), COPIES, "{name}: {values:?}");
    }
    assert_eq!(seen.len(), 16);
    engine().remove_template(&name).unwrap();
}

/// A stand-in with the names of numpy's generators, since the real one needs a network. A package
/// of that name is what the zygote's children look for.
const NUMPY: &str = "\
import random as _random
class BitGenerator:
    def __init__(self): self.own = _random.Random()
    state = property(lambda self: self.own.getstate())
class Numbers(list):
    tolist = list.copy
class Generator:
    def __init__(self): self.bit_generator = BitGenerator()
    def random(self, n=1): return Numbers(self.bit_generator.own.random() for _ in range(n))
class RandomState:
    def __init__(self): self.own = _random.Random()
    def get_state(self, legacy=True): return ('', bytes(str(self.own.getstate()), 'ascii'), 0)
    def random_sample(self, n=1): return Numbers(self.own.random() for _ in range(n))
default_rng = Generator
_rand = RandomState()
random = _rand.random_sample
def seed(): _rand.own.seed()
";

#[test]
fn the_global_generator_of_numpy_is_seeded_anew_in_each_copy() {
    warm(&[], 1);
    let name = built("numpy.random", NUMPY).unwrap();
    let policy = stockade::Policy::default().template(&name);
    engine().warm(&policy, 1).unwrap();
    let draw = "import numpy.random\nemit(str(numpy.random.random()[0]))";
    let draws: BTreeSet<String> = (0..COPIES)
        .map(|_| {
            let record = engine().run(&crate::run::job(draw), &policy).unwrap();
            assert!(record.evidence.warmth.is_some());
            value_of(&record)
        })
        .collect();
    assert_eq!(draws.len(), COPIES, "{draws:?}");
    engine().remove_template(&name).unwrap();
    // The control: without that the gate would have caught it.
    let stubborn = NUMPY.replace("def seed(): _rand.own.seed()", "def seed(): pass");
    let error = built("numpy.random", &stubborn).unwrap_err();
    assert!(error.to_string().contains("`numpy.random"), "{error}");
}
