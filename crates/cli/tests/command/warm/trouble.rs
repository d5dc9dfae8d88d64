//! A host in trouble, in a mount namespace of the test's own: cgroups that cannot be removed, a
//! disk that is full.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::den::Den;
use super::{JSON, was_warm};
use crate::workshop::{Done, TALKER, is_root};

/// A den whose commands are in a mount namespace of their own.
struct Apart {
    den: Den,
    /// Holds the namespace until its input ends.
    holder: Child,
}

impl Apart {
    /// `None`, said, where it takes more rights than we have.
    fn new() -> Option<Self> {
        if !is_root() {
            eprintln!("SKIPPED: it takes root to mount");
            return None;
        }
        let den = Den::new();
        let mut holder = Command::new("unshare")
            .args(["--mount", "--propagation", "private"])
            .args(["sh", "-c", "echo there; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(holder.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        assert_eq!(line, "there\n");
        Some(Self { den, holder })
    }

    fn enter(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--mount=/proc/{}/ns/mnt", self.holder.id()));
        command
    }

    fn stockade(&self, args: &[&str]) -> Done {
        let command = self.den.command(args);
        let mut inside = self.enter();
        inside.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(name, value),
                None => inside.env_remove(name),
            };
        }
        Done::of(&inside.output().unwrap())
    }

    /// Whether a shell's script succeeds; `$0` is the state directory.
    fn shell(&self, script: &str) -> bool {
        let mut shell = self.enter();
        shell.args(["sh", "-c", script]).arg(self.den.state());
        let done = Done::of(&shell.output().unwrap());
        done.code == Some(0)
    }

    fn teardown(&self) -> serde_json::Value {
        let done = self.stockade(&["warm", "--status", "--format", "json"]);
        done.json()["teardown"].clone()
    }

    fn job(&self) -> String {
        self.den.file("job.py", TALKER);
        self.den
            .path()
            .join("job.py")
            .to_string_lossy()
            .into_owned()
    }

    /// A file of the state directory, as it is inside.
    fn state(&self, name: &str) -> PathBuf {
        let root = format!("/proc/{}/root", self.holder.id());
        let below = self.den.state();
        PathBuf::from(root)
            .join(below.strip_prefix("/").unwrap())
            .join(name)
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        self.stockade(&["warm", "--stop"]);
        drop(self.holder.stdin.take());
        self.holder.wait().unwrap();
    }
}

/// Makes the cgroups of this mount namespace, and of no other, read-only, or writable again.
fn cgroups(how: &str) -> String {
    let places = "$(awk '$3 ~ /^cgroup/ { print $2 }' /proc/mounts)";
    format!("for place in {places}; do mount -o remount,bind,{how} $place || exit 1; done")
}

#[test]
fn a_teardown_that_fails_is_shown_until_it_is_mended() {
    let Some(apart) = Apart::new() else { return };
    let job = apart.job();
    let warmed = apart.stockade(&["warm", "--depth", "1"]);
    assert_eq!(warmed.code, Some(0), "{warmed:?}");
    assert_eq!(apart.teardown()["failed"], 0);
    assert!(apart.shell(&cgroups("ro")));
    // The boundary of one that waits is built already.
    let run = apart.stockade(&["run", &job, JSON[0], JSON[1]]);
    assert!(was_warm(&run), "{run:?}");
    let found = (0..5_000).find_map(|_| {
        let teardown = apart.teardown();
        (teardown["failed"] != 0).then_some(teardown)
    });
    let teardown = found.unwrap();
    assert_eq!(
        (&teardown["failed"], &teardown["destroyed"]),
        (&1.into(), &0.into())
    );
    let left = teardown["stuck"][0].as_str().unwrap();
    let run_name = run.json()["run"].as_str().unwrap().to_owned();
    assert!(left.starts_with(&run_name), "{left}");
    assert!(
        left.contains("teardown: cannot remove /sys/fs/cgroup"),
        "{left}"
    );
    assert!(left.contains("Read-only file system"), "{left}");
    let shown = apart.stockade(&["warm", "--status"]);
    assert!(
        shown
            .stdout
            .contains(&format!("  not removed: {run_name}: ")),
        "{shown:?}"
    );
    assert!(apart.shell(&cgroups("rw")));
    let teardown = apart.teardown();
    assert_eq!(teardown["stuck"].as_array().unwrap().len(), 0, "{teardown}");
    assert_eq!(
        (&teardown["failed"], &teardown["destroyed"]),
        (&1.into(), &1.into())
    );
    let run = apart.stockade(&["run", &job, JSON[0], JSON[1]]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_disk_that_is_full_under_the_log_keeps_nobody_from_running() {
    let Some(apart) = Apart::new() else { return };
    let job = apart.job();
    fs::create_dir(apart.den.state()).unwrap();
    assert!(apart.shell("mount -t tmpfs -o size=64k,mode=700 none $0"));
    let use_up = "dd if=/dev/zero of=$0/full bs=4k 2>/dev/null";
    // Nothing can be begun there, and it says why.
    assert!(!apart.shell(use_up));
    let refused = apart.stockade(&["warm"]);
    assert_eq!(refused.code, Some(71), "{refused:?}");
    assert!(
        refused.stderr.contains("No space left on device"),
        "{refused:?}"
    );
    assert!(apart.shell("rm $0/full"));
    let warmed = apart.stockade(&["warm", "--depth", "1"]);
    assert_eq!(warmed.code, Some(0), "{warmed:?}");
    // To the end of a page: the next byte takes another.
    let log = apart.state("daemon/log");
    let length = fs::metadata(&log).unwrap().len();
    let padding = vec![b'\n'; usize::try_from(4096 - length % 4096).unwrap()];
    let mut file = OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(&padding).unwrap();
    let length_full = fs::metadata(&log).unwrap().len();
    assert!(!apart.shell(use_up));
    let run = apart.stockade(&["run", &job, JSON[0], JSON[1]]);
    assert!(was_warm(&run), "{run:?}");
    let deeper = apart.stockade(&["warm", "--depth", "2"]);
    assert_eq!(deeper.code, Some(0), "{deeper:?}");
    assert_eq!(
        fs::metadata(&log).unwrap().len(),
        length_full,
        "there is no room"
    );
    let status = apart
        .stockade(&["warm", "--status", "--format", "json"])
        .json();
    assert_eq!(
        (&status["runs"], &status["kept"][0]["depth"]),
        (&1.into(), &2.into())
    );
    assert!(apart.shell("rm $0/full"));
    let deeper = apart.stockade(&["warm", "--depth", "3"]);
    assert_eq!(deeper.code, Some(0), "{deeper:?}");
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(
        said[usize::try_from(length_full).unwrap()..]
            .lines()
            .count(),
        1,
        "{said}"
    );
    let stopped = apart.stockade(&["warm", "--stop"]);
    assert_eq!(stopped.stdout, "the daemon has ended\n");
    let left: Vec<_> = fs::read_dir(apart.state("")).unwrap().collect();
    let names = left.into_iter().map(|entry| entry.unwrap().file_name());
    let locks = names.filter(|name| name.to_string_lossy().ends_with(".lock"));
    assert_eq!(locks.count(), 0);
}
