//! Runs through the daemon.

mod den;
mod end;
mod next;
mod same;
mod trouble;
mod zygote;

use std::os::unix::fs::PermissionsExt;
use std::thread;

use den::{Den, is_gone};

use crate::workshop::{Done, TALKER, is_root};

/// Whether a run was warm, by its record.
fn was_warm(done: &Done) -> bool {
    !done.json()["evidence"]["warm"].is_null()
}

const JSON: [&str; 2] = ["--format", "json"];

#[test]
fn a_run_finds_the_daemon_and_is_warm() {
    let den = Den::new();
    den.file("job.py", TALKER);
    assert!(!was_warm(&den.run(["run", "job.py"].iter().chain(&JSON))));
    let warmed = den.warm(&[]);
    assert_eq!(warmed["template"], "python");
    assert!(was_warm(&den.run(["run", "job.py"].iter().chain(&JSON))));
    let cold = ["run", "job.py", "--cold"];
    assert!(!was_warm(&den.run(cold.iter().chain(&JSON))));
    let mut without = den.command(["run", "job.py"].iter().chain(&JSON));
    let without = without.env("STOCKADE_NO_DAEMON", "1").output().unwrap();
    assert!(!was_warm(&Done::of(&without)));
    let mut others = den.command(["run", "job.py"].iter().chain(&JSON));
    let cache = den.path().join("another-cache");
    let others = others.env("STOCKADE_CACHE_DIR", cache).output().unwrap();
    assert!(!was_warm(&Done::of(&others)), "its templates are others");
    assert_eq!(den.status()["runs"], 1);
}

#[test]
fn one_command_starts_it_and_others_find_the_same() {
    let den = Den::new();
    let pids: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| den.warm(&[])["pid"].clone()))
            .collect();
        starts.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    let depth = den.warm(&["--depth", "3", "--idle", "1h"]);
    assert_eq!(depth["pid"], pids[0]);
    assert_eq!(
        (&depth["depth"], &depth["idle_ms"]),
        (&3.into(), &3_600_000.into())
    );
    let status = den.status();
    assert_eq!(status["kept"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(status["kept"][0]["zygotes"], 2);
}

#[test]
fn its_files_are_its_users_alone() {
    let den = Den::new();
    den.warm(&[]);
    let mode = |name: &str| {
        let path = den.state().join("daemon").join(name);
        std::fs::symlink_metadata(path)
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    };
    assert_eq!(mode(""), 0o700);
    for name in ["socket", "lock", "start", "log"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
}

#[test]
fn another_user_is_not_served() {
    if !is_root() {
        eprintln!("SKIPPED: it takes root to be another user");
        return;
    }
    let den = Den::new();
    den.warm(&[]);
    let daemon = den.state().join("daemon");
    // The way is opened, so that who connects is all that is left to decide by.
    for (path, mode) in [(den.path().to_owned(), 0o755), (den.state(), 0o711)] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    std::fs::set_permissions(&daemon, PermissionsExt::from_mode(0o711)).unwrap();
    let socket = daemon.join("socket");
    std::fs::set_permissions(&socket, PermissionsExt::from_mode(0o666)).unwrap();
    let connect = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); \
                   print(len(s.recv(1)))";
    let heard = |uid: &str| {
        let output = std::process::Command::new("setpriv")
            .args([
                "--reuid",
                uid,
                "--clear-groups",
                "/usr/bin/python3",
                "-c",
                connect,
            ])
            .arg(&socket)
            .output()
            .unwrap();
        Done::of(&output)
    };
    assert_eq!(heard("0").stdout, "1\n");
    let other = heard("65534");
    assert_eq!(other.stdout, "0\n", "{other:?}");
}

#[test]
fn clients_at_once_get_each_their_own() {
    let den = Den::new();
    den.warm(&[]);
    thread::scope(|scope| {
        for n in 0..12 {
            let den = &den;
            scope.spawn(move || {
                let source = format!("print({n}); import stockade_guest as g; g.emit({n})");
                let name = format!("job{n}.py");
                den.file(&name, source);
                let done = den.run(["run", name.as_str()]);
                assert_eq!(done.stdout, format!("{n}\n"), "{done:?}");
                assert!(done.stderr.starts_with(&format!("{n}\n")), "{done:?}");
            });
        }
    });
    let status = den.status();
    assert_eq!(
        (&status["runs"], &status["running_now"]),
        (&12.into(), &0.into())
    );
}

#[test]
fn a_run_that_misses_is_cold_and_the_next_of_its_kind_is_warm() {
    let den = Den::new();
    den.warm(&[]);
    den.file("job.py", "def main(): return 1");
    let args = ["run", "job.py", "--call", "main"];
    let first = den.run(args.iter().chain(&JSON));
    assert!(!was_warm(&first));
    den.until(|status| {
        let kept = status["kept"].as_array().unwrap();
        kept.iter()
            .any(|one| one["calls"] == true && one["warming"] == false)
    });
    assert!(was_warm(&den.run(args.iter().chain(&JSON))));
}

#[test]
fn limits_are_those_of_the_run_whatever_the_copies_were_built_for() {
    let den = Den::new();
    den.warm(&["--limit", "memory=256MiB"]);
    den.file("job.py", TALKER);
    for memory in ["256MiB", "64MiB", "1GiB"] {
        let limit = format!("memory={memory}");
        let args = ["run", "job.py", "--limit", &limit];
        let done = den.run(args.iter().chain(&JSON));
        assert!(was_warm(&done), "{memory}");
        let limits = &done.json()["evidence"]["limits"];
        let bytes = memory.replace("256MiB", "268435456");
        let bytes = bytes
            .replace("64MiB", "67108864")
            .replace("1GiB", "1073741824");
        assert_eq!(limits["memory"]["value"].to_string(), bytes);
    }
}

#[test]
fn a_program_of_another_build_has_its_daemon_replaced() {
    let den = Den::new();
    let program = den.path().join("stockade");
    let install = || {
        let fresh = den.path().join("fresh");
        std::fs::copy(crate::workshop::STOCKADE, &fresh).unwrap();
        std::fs::rename(&fresh, &program).unwrap();
    };
    let warm = || {
        let mut command = den.command(["warm", "--format", "json"]);
        let mut theirs = std::process::Command::new(&program);
        theirs.args(command.get_args()).current_dir(den.path());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => theirs.env(name, value),
                None => theirs.env_remove(name),
            };
        }
        command = theirs;
        Done::of(&command.output().unwrap()).json()["pid"].clone()
    };
    install();
    let first = warm();
    assert_eq!(warm(), first);
    install();
    let second = warm();
    assert_ne!(second, first);
    assert_eq!(warm(), second);
    is_gone(&first);
}

#[test]
fn what_is_no_message_ends_its_connection_and_nothing_else() {
    use std::io::{Read, Write};
    let den = Den::new();
    den.warm(&[]);
    for bytes in [
        &b"\xff\xff\xff\xff"[..],
        b"\x01T\xff\xff\xff\xff",
        b"\x01T\x05\0\0\0\0\0\0\0\x7f",
        b"GET / HTTP/1.1\r\n\r\n",
    ] {
        let mut stream = den.connect();
        stream.write_all(bytes).unwrap();
        let mut heard = Vec::new();
        // A reset is an end as well: bytes of ours were not read.
        let _ = stream.read_to_end(&mut heard);
        assert_eq!(heard.first(), Some(&1), "it has said who it is");
    }
    assert_eq!(den.status()["runs"], 0);
}

#[test]
fn a_template_that_is_not_known_is_refused_and_the_daemon_goes_on() {
    let den = Den::new();
    let first = den.warm(&[]);
    let refused = den.run(["warm", "--template", "no-such"]);
    refused.refuses(64, &["no-such"]);
    assert_eq!(den.warm(&[])["pid"], first["pid"]);
}

#[test]
fn what_nobody_started_is_neither_shown_nor_stopped() {
    let den = Den::new();
    let shown = den.run(["warm", "--status"]);
    assert_eq!(
        (shown.code, shown.stdout.as_str()),
        (Some(0), "no daemon runs\n")
    );
    let stopped = den.run(["warm", "--stop"]);
    assert_eq!(
        (stopped.code, stopped.stdout.as_str()),
        (Some(0), "no daemon runs\n")
    );
    assert!(!den.state().exists(), "nothing is made to look");
}

#[test]
fn times_and_depths_out_of_range_are_refused() {
    let den = Den::new();
    for args in [
        ["--depth", "0"],
        ["--depth", "1000"],
        ["--idle", "5"],
        ["--idle", "400d"],
    ] {
        let refused = den.run(["warm"].iter().chain(&args));
        refused.refuses(64, &[args[0], args[1]]);
    }
    let refused = den.run(["warm", "--limit", "memory=1"]);
    refused.refuses(64, &["limit `memory`: `1` has no unit"]);
    assert!(
        !den.state().join("daemon/socket").exists(),
        "no daemon is started for it"
    );
}
