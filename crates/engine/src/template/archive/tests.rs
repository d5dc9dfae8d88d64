//! Archives that attack: each ends in its refusal, or harmless; and what honest ones become.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use stockade_core::error::{Error, ErrorKind};
use tar::{EntryType, Header};

use super::super::progress::Silent;
use super::super::room::Room;
use super::super::spec::Base;
use super::unpack;

/// An archive in the making; names and targets are written as they are, however bad.
struct Tar(Vec<u8>);

impl Tar {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn entry(mut self, kind: EntryType, name: &str, target: &str, mode: u32, data: &[u8]) -> Self {
        let mut header = Header::new_ustar();
        let old = header.as_mut_bytes();
        old[..name.len()].copy_from_slice(name.as_bytes());
        old[157..157 + target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(data.len() as u64);
        header.set_cksum();
        self.0.extend(header.as_bytes());
        self.0.extend(data);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    fn file(self, name: &str, data: &str) -> Self {
        self.entry(EntryType::Regular, name, "", 0o644, data.as_bytes())
    }

    fn directory(self, name: &str) -> Self {
        self.entry(EntryType::Directory, name, "", 0o700, b"")
    }

    fn link(self, kind: EntryType, name: &str, target: &str) -> Self {
        self.entry(kind, name, target, 0o777, b"")
    }

    fn bytes(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 1024, 0);
        self.0
    }
}

/// A directory with `outside`, which no archive may touch, beside the root.
struct Place {
    held: tempfile::TempDir,
    space: Room,
}

impl Place {
    fn new() -> Self {
        let held = tempfile::tempdir().unwrap();
        fs::write(held.path().join("outside"), "untouched").unwrap();
        Self {
            held,
            space: Room::new(1 << 20, 100),
        }
    }

    fn root(&self) -> std::path::PathBuf {
        self.held.path().join("root")
    }

    fn unpack(&mut self, archive: &[u8]) -> Result<(), Error> {
        let path = self.held.path().join("archive");
        fs::write(&path, archive).unwrap();
        self.base(&Base::Tar(path))
    }

    fn base(&mut self, base: &Base) -> Result<(), Error> {
        let root = self.root();
        let _ = fs::remove_dir_all(&root);
        let scratch = self.held.path().to_path_buf();
        let mut space = self.space.clone();
        unpack(base, &root, &scratch, &mut space, &mut Silent)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    /// That the archive is refused in these words, and what lies outside is as it was.
    fn refuses(&mut self, tar: Tar, words: &str) {
        let error = self.unpack(&tar.bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPolicy, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
        self.is_untouched();
    }

    fn is_untouched(&self) {
        let outside = self.held.path().join("outside");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "untouched");
        assert_eq!(outside.metadata().unwrap().nlink(), 1);
        let mut names: Vec<_> = fs::read_dir(self.held.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["archive", "outside", "root"]);
    }
}

#[test]
fn an_honest_archive_becomes_what_it_says() {
    let mut place = Place::new();
    let tar = Tar::new()
        .directory("./")
        .directory("./usr/")
        .file("./usr/a", "one")
        .entry(EntryType::Regular, "usr/run", "", 0o4755, b"two")
        .link(EntryType::Symlink, "bin", "usr")
        .link(EntryType::Link, "usr/b", "usr/a")
        .file("deep/er/c", "three");
    place.unpack(&tar.bytes()).unwrap();
    assert_eq!(
        (place.read("usr/a"), place.read("bin/b")),
        ("one".into(), "one".into())
    );
    assert_eq!(place.read("deep/er/c"), "three");
    let mode = |name: &str| place.root().join(name).metadata().unwrap().mode() & 0o7777;
    assert_eq!((mode("usr/a"), mode("usr")), (0o644, 0o755));
    assert_eq!(mode("usr/run"), 0o755, "no set-user-id");
}

#[test]
fn a_path_that_leads_out_is_refused() {
    let mut place = Place::new();
    for name in ["../outside", "a/../../outside", "/outside", "a/.."] {
        place.refuses(Tar::new().file(name, "evil"), "leads out of the archive");
    }
}

#[test]
fn a_link_leads_nowhere_but_into_the_root() {
    let mut place = Place::new();
    let above = place.held.path().to_str().unwrap().to_owned();
    for target in ["..", "../..", above.as_str(), "/proc/self/cwd"] {
        let tar = Tar::new()
            .link(EntryType::Symlink, "way", target)
            .file("way/outside", "evil");
        // As in a container: it leads to a place inside of the root.
        place.unpack(&tar.bytes()).unwrap();
        place.is_untouched();
    }
    // A link in the place of a file is replaced, not written through.
    let tar = Tar::new()
        .link(EntryType::Symlink, "file", "../outside")
        .file("file", "evil");
    place.unpack(&tar.bytes()).unwrap();
    assert_eq!(place.read("file"), "evil");
    place.is_untouched();
    // A link in the place of a directory is replaced as well.
    let tar = Tar::new()
        .link(EntryType::Symlink, "way", "..")
        .directory("way")
        .file("way/outside", "evil");
    place.unpack(&tar.bytes()).unwrap();
    assert_eq!(place.read("way/outside"), "evil");
    place.is_untouched();
}

#[test]
fn links_in_a_ring_end() {
    let mut place = Place::new();
    let tar = Tar::new()
        .link(EntryType::Symlink, "a", "b")
        .link(EntryType::Symlink, "b", "a")
        .file("a/file", "evil");
    let error = place.unpack(&tar.bytes()).unwrap_err();
    assert!(error.to_string().contains("a/file"), "{error}");
    place.is_untouched();
}

#[test]
fn a_hard_link_takes_only_a_file_of_the_archive() {
    let mut place = Place::new();
    let link = |target: &str| Tar::new().link(EntryType::Link, "mine", target);
    place.refuses(link("../outside"), "leads out");
    place.refuses(link("/etc/passwd"), "leads out");
    place.refuses(link("nowhere"), "no file here");
    let through = Tar::new().link(EntryType::Symlink, "way", "..").link(
        EntryType::Link,
        "mine",
        "way/outside",
    );
    place.refuses(through, "no file here");
    let to_link = Tar::new()
        .link(EntryType::Symlink, "way", "../outside")
        .link(EntryType::Link, "mine", "way")
        .file("mine", "evil");
    place.refuses(to_link, "no file here");
    let itself = Tar::new()
        .file("mine", "kept")
        .link(EntryType::Link, "mine", "mine");
    place.unpack(&itself.bytes()).unwrap();
    assert_eq!(place.read("mine"), "kept");
}

#[test]
fn a_device_and_a_fifo_are_refused() {
    let mut place = Place::new();
    for kind in [EntryType::Char, EntryType::Block] {
        place.refuses(Tar::new().link(kind, "null", ""), "`null` is a device");
    }
    let fifo = Tar::new().link(EntryType::Fifo, "pipe", "");
    place.refuses(fifo, "`pipe` is a FIFO");
}

#[test]
fn sizes_are_bounded_before_anything_is_written() {
    let mut place = Place::new();
    let big = "x".repeat((1 << 20) + 1);
    place.refuses(Tar::new().file("big", &big), "1048576 bytes");
    let twice = "x".repeat((1 << 19) + 1);
    let tar = Tar::new().file("one", &twice).file("two", &twice);
    place.refuses(tar, "1048576 bytes");
    let many = (0..101).fold(Tar::new(), |tar, number| {
        tar.directory(&format!("d{number}"))
    });
    place.refuses(many, "100 entries");
    // A header that says more than follows.
    let mut liar = Tar::new().file("liar", "").bytes();
    liar[124..135].copy_from_slice(b"77777777777");
    let sum: u32 = liar[..512]
        .iter()
        .enumerate()
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                32
            } else {
                u32::from(*byte)
            }
        })
        .sum();
    liar[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let error = place.unpack(&liar).unwrap_err();
    assert!(error.to_string().contains("no whole tar"), "{error}");
    assert!(!place.root().join("liar").exists());
}

#[test]
fn a_bomb_is_cut_off_where_the_room_ends() {
    let mut place = Place::new();
    let data = vec![0; 64 << 20];
    let bomb = Tar::new()
        .entry(EntryType::Regular, "zeros", "", 0o644, &data)
        .bytes();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&bomb).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 1 << 20, "the control: it is small");
    let error = place.unpack(&packed).unwrap_err();
    assert!(error.to_string().contains("it holds more"), "{error}");
    place.space = Room::default();
    place.unpack(&packed).unwrap();
    assert_eq!(
        place.root().join("zeros").metadata().unwrap().len(),
        64 << 20
    );
}

#[test]
fn what_is_no_archive_is_named() {
    let mut place = Place::new();
    for (bytes, words) in [
        (
            b"no tar at all, but text that is longer than a header".repeat(20),
            "no whole tar",
        ),
        (b"\xfd7zXZ\0more".to_vec(), "neither gzip nor zstd"),
        (
            Tar::new().file("cut", &"x".repeat(2000)).bytes()[..1500].to_vec(),
            "no whole tar",
        ),
    ] {
        let error = place.unpack(&bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPolicy, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let error = place.base(&Base::Tar("/nowhere.tar".into())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Host, "{error}");
}

/// An image archive as `docker save` writes it.
fn image(layers: &[Vec<u8>]) -> Vec<u8> {
    let digests: Vec<_> = layers
        .iter()
        .map(|layer| {
            format!(
                "sha256:{}",
                super::stream::digest(layer.as_slice()).unwrap()
            )
        })
        .collect();
    let config = serde_json::json!({ "rootfs": { "diff_ids": digests } }).to_string();
    let names: Vec<_> = (0..layers.len())
        .map(|number| format!("{number}.tar"))
        .collect();
    let listed = serde_json::json!([{ "Config": "config.json", "Layers": names }]).to_string();
    let mut tar = Tar::new()
        .file("config.json", &config)
        .file("manifest.json", &listed);
    for (name, layer) in names.iter().zip(layers) {
        tar = tar.entry(EntryType::Regular, name, "", 0o644, layer);
    }
    tar.bytes()
}

impl Place {
    fn image(&mut self, archive: &[u8]) -> Result<(), Error> {
        let path = self.held.path().join("archive");
        fs::write(&path, archive).unwrap();
        self.base(&Base::Image(path))
    }
}

#[test]
fn a_layer_takes_away_what_it_says_is_gone() {
    let mut place = Place::new();
    let below = Tar::new()
        .file("keep", "1")
        .file("gone", "2")
        .file("dir/old", "3")
        .file("dir/sub/old", "4")
        .file("tree/leaf", "5");
    // The opaque mark comes last, and yet means the layers below alone.
    let above = Tar::new()
        .file(".wh.gone", "")
        .file("dir/new", "6")
        .file("dir/.wh..wh..opq", "")
        .file(".wh.tree", "")
        .file(".wh.never", "");
    place
        .image(&image(&[below.bytes(), above.bytes()]))
        .unwrap();
    assert_eq!(
        (place.read("keep"), place.read("dir/new")),
        ("1".into(), "6".into())
    );
    for name in [
        "gone",
        "dir/old",
        "dir/sub",
        "tree",
        ".wh.gone",
        "dir/.wh..wh..opq",
    ] {
        assert!(!place.root().join(name).exists(), "{name}");
    }
}

#[test]
fn a_whiteout_reaches_nothing_outside() {
    let mut place = Place::new();
    let way = Tar::new().link(EntryType::Symlink, "way", "..").bytes();
    for name in ["way/.wh.outside", "way/.wh..wh..opq"] {
        let attack = Tar::new().file(name, "").bytes();
        place.image(&image(&[way.clone(), attack])).unwrap();
        place.is_untouched();
    }
    for name in [".wh.", ".wh...", ".wh..wh.x"] {
        let attack = Tar::new().file(name, "").bytes();
        let error = place.image(&image(&[attack])).unwrap_err();
        assert!(error.to_string().contains("no whiteout"), "{name}: {error}");
    }
    place.is_untouched();
}

#[test]
fn a_layer_whose_digest_differs_is_refused() {
    let mut place = Place::new();
    let good = image(&[Tar::new().file("a", "good").bytes()]);
    place.image(&good).unwrap();
    let at = good.windows(4).rposition(|bytes| bytes == b"good").unwrap();
    let mut bad = good;
    bad[at..at + 4].copy_from_slice(b"evil");
    let error = place.image(&bad).unwrap_err();
    assert!(
        error.to_string().contains("the layer `0.tar` is "),
        "{error}"
    );
}

#[test]
fn an_image_that_names_what_it_does_not_have_is_refused() {
    let mut place = Place::new();
    for (listed, words) in [
        (r#"[{"Config":"c","Layers":[]}]"#, "does not have it"),
        (
            r#"[{"Config":"../../outside","Layers":[]}]"#,
            "does not have it",
        ),
        ("[]", "no image"),
        ("[{}", "cannot be read"),
        (
            r#"[{"Config":"c","Layers":[],"RepoTags":["one"]},
                {"Config":"c","Layers":[],"RepoTags":["two"]}]"#,
            "one, two",
        ),
    ] {
        let error = place
            .image(&Tar::new().file("manifest.json", listed).bytes())
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPolicy, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let ring = Tar::new()
        .file("manifest.json", r#"[{"Config":"a","Layers":[]}]"#)
        .link(EntryType::Symlink, "a", "b")
        .link(EntryType::Symlink, "b", "a");
    let error = place.image(&ring.bytes()).unwrap_err();
    assert!(error.to_string().contains("does not have it"), "{error}");
    let error = place.image(&Tar::new().file("x", "").bytes()).unwrap_err();
    assert!(error.hints()[0].contains("docker save"), "{error:?}");
    place.is_untouched();
}

#[test]
fn a_directory_is_copied_and_its_links_are_not_followed() {
    let mut place = Place::new();
    let source = tempfile::tempdir().unwrap();
    let path = source.path();
    fs::create_dir_all(path.join("usr/bin")).unwrap();
    fs::create_dir(path.join("tmp")).unwrap();
    fs::write(path.join("usr/bin/run"), "x").unwrap();
    fs::set_permissions(path.join("usr/bin/run"), fs::Permissions::from_mode(0o4711)).unwrap();
    fs::hard_link(path.join("usr/bin/run"), path.join("usr/bin/same")).unwrap();
    std::os::unix::fs::symlink(place.held.path(), path.join("way")).unwrap();
    place.base(&Base::Directory(path.to_path_buf())).unwrap();
    let found = place.root().join("usr/bin/same").metadata().unwrap();
    assert_eq!((found.mode() & 0o7777, found.nlink()), (0o755, 2));
    assert_eq!(
        fs::read_link(place.root().join("way")).unwrap(),
        place.held.path()
    );
    assert!(!place.root().join("tmp").exists());
    let socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    let error = place
        .base(&Base::Directory(path.to_path_buf()))
        .unwrap_err();
    drop(socket);
    assert!(
        error.to_string().contains("a device, a FIFO or a socket"),
        "{error}"
    );
    let missing = Base::Directory(Path::new("/nowhere").into());
    assert_eq!(place.base(&missing).unwrap_err().kind(), ErrorKind::Host);
}
