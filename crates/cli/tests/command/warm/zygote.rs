//! What an interpreter that waits may do itself, as a module of its template finds at its import.

use super::{JSON, was_warm};
use crate::shop::Shop;
use crate::workshop::Done;

/// The errno of a try to connect to where nobody listens, at the import and whenever it is asked.
const PROBE: &str = "\
import socket
def tried():
    try:
        with socket.socket() as one: one.connect(('127.0.0.1', 9))
    except OSError as error: return error.errno
AT_IMPORT = tried()
";

const JOB: &str = "import probe, stockade_guest as g; g.emit([probe.AT_IMPORT, probe.tried()])";

/// Ends the daemon of a shop.
struct Stopped<'a>(&'a Shop);

impl Stopped<'_> {
    fn run(&self, args: &[&str]) -> Done {
        let mut command = self.0.command(args);
        command
            .env_remove("STOCKADE_NO_DAEMON")
            .env("STOCKADE_STATE_DIR", self.0.workshop.path().join("state"));
        Done::of(&command.output().unwrap())
    }
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.run(&["warm", "--stop"]);
    }
}

#[test]
fn an_interpreter_that_waits_has_no_internet_socket_unless_its_runs_have() {
    let shop = Shop::new();
    shop.wheel("probe", "1.0", &[&format!("probe/__init__.py={PROBE}")]);
    let text = "base = 'host'\npackages = ['probe']\npreload = ['probe']";
    let built = shop.build(&shop.described("probing", text));
    assert_eq!(built.code, Some(0), "{built:?}");
    shop.workshop.file("job.py", JOB);
    let daemon = Stopped(&shop);
    let warmed = daemon.run(&["warm", "--template", "probing"]);
    assert_eq!(warmed.code, Some(0), "{warmed:?}");
    let run = |more: &[&str]| {
        let run = [&["run", "job.py", "--template", "probing"], &JSON[..], more].concat();
        let done = daemon.run(&run);
        assert!(was_warm(&done), "{done:?}");
        done.json()["value"].clone()
    };
    // ENETDOWN, the filter's answer to `socket`.
    assert_eq!(run(&[]).to_string(), "[100,100]");
    // ENETUNREACH of a loopback that is down, then ECONNREFUSED of one that is up.
    assert_eq!(run(&["--allow", "loopback"]).to_string(), "[101,111]");
    assert_eq!(run(&[]).to_string(), "[100,100]");
}
