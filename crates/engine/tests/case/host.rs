//! Hosts that cannot: what is said of them, and that nothing runs less isolated than asked.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::run::{
    again, again_after, assert_blames_host, assert_ended, assert_passes, engine, is_again, job,
    limited, run,
};
use stockade::facts::{Cgroup, Fact, Privilege};
use stockade::{Engine, Error, Host};
use stockade_sys::seccomp::{self, Action, Condition, Filter, Test, Verdict};

/// Whoever is not root: the number that most systems call `nobody`.
const NOBODY: u32 = 65_534;

/// An engine on this host as it is now, and what it answers to a run that every host that can do
/// anything can do.
fn attempt(limits: &[&str]) -> Error {
    let engine = Engine::new(Host::probe().unwrap()).unwrap();
    let result = engine.run(&job("emit('ran')"), &limited(limits));
    result.expect_err("this host was made unable")
}

/// A directory for the state and the cache of another user.
fn belongs(command: &mut Command, name: &str) -> PathBuf {
    let home = env::temp_dir().join(format!("stockade-case-{name}-{}", std::process::id()));
    fs::create_dir(&home).unwrap();
    command
        .env("STOCKADE_STATE_DIR", home.join("state"))
        .env("STOCKADE_CACHE_DIR", home.join("cache"))
        .env("HOME", &home);
    home
}

/// Makes `command` run as somebody who is not root. Who is somebody already stays it.
fn as_nobody(command: &mut Command, name: &str) -> PathBuf {
    let home = belongs(command, name);
    if stockade_sys::process::effective_uid() == 0 {
        std::os::unix::fs::chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    home
}

#[test]
fn case_26_host_userns_blocked() {
    const TEST: &str = "host::case_26_host_userns_blocked";
    if is_again() {
        let error = attempt(&["processes=1"]);
        println!("{error}\n{:?}", error.hints());
        assert_blames_host(&error, &["step `clone3`", "os error 28"]);
        assert!(
            error.hints()[0].contains("user.max_user_namespaces"),
            "{error:?}"
        );
        // The doctor's own question gets the same answer.
        let proved = Host::prove().unwrap();
        let Fact::Fails(fault) = &proved.facts().namespaces else {
            panic!("{:?}", proved.facts());
        };
        assert_eq!((&*fault.step, fault.errno), ("clone3", 28));
        let described = Engine::new(proved).unwrap();
        let refused = described.run(&job("emit('ran')"), &limited(&["processes=1"]));
        assert_blames_host(&refused.unwrap_err(), &["clone3", "os error 28"]);
        return;
    }
    let block = "echo 0 > /proc/sys/user/max_user_namespaces";
    let mut command = again_after("-Ur", block, TEST);
    let home = as_nobody(&mut command, "userns");
    let output = assert_passes(&mut command);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    fs::remove_dir_all(home).unwrap();
}

/// What Docker's default profile says to a container without `CAP_SYS_ADMIN`.
fn docker() -> Filter {
    const NAMESPACE_FLAGS: u32 = 0x7e02_0000;
    let mut verdicts = BTreeMap::new();
    let refused = Verdict::Always(Action::Errno(1));
    // mount, umount2, pivot_root, unshare, setns, open_tree to move_mount's kin, bpf.
    for number in [
        165, 166, 155, 272, 308, 321, 428, 429, 430, 431, 432, 433, 442,
    ] {
        verdicts.insert(number, refused.clone());
    }
    verdicts.insert(435, Verdict::Always(Action::Errno(38)));
    let no_flag = Condition {
        argument: 0,
        test: Test::Masked {
            mask: NAMESPACE_FLAGS,
            value: 0,
        },
    };
    verdicts.insert(
        56,
        Verdict::Matched {
            any: vec![vec![no_flag]],
            inside: Action::Allow,
            outside: Action::Errno(1),
        },
    );
    Filter {
        verdicts,
        unlisted: Action::Allow,
        newest: seccomp::number::NEWEST,
        beyond: Action::Errno(38),
    }
}

#[test]
fn case_27_host_inside_container() {
    const TEST: &str = "host::case_27_host_inside_container";
    if is_again() {
        // What the guest needs is prepared before: in a container an image would bring it.
        let filter = seccomp::compile(&docker(), seccomp::Arch::X86_64).unwrap();
        stockade_sys::credential::set_no_new_privileges().unwrap();
        seccomp::install(&filter).unwrap();
        let error = attempt(&["processes=1"]);
        println!("{error}\n{:?}", error.hints());
        // Where the guest is born in its cgroup there is no way around `clone3`.
        let parts = match engine().host().facts().cgroup {
            Cgroup::V2 { .. } => ["step `clone3`", "os error 38"],
            Cgroup::V1 { .. } | Cgroup::None(_) => ["step `clone`", "os error 1"],
        };
        assert_blames_host(&error, &parts);
        let hints = error.hints().join(" ");
        assert!(
            hints.contains("Docker") && hints.contains("docs/hosts.md"),
            "{hints}"
        );
        return;
    }
    let output = assert_passes(&mut again(TEST));
    println!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn case_27_host_inside_container_that_masks_proc() {
    const TEST: &str = "host::case_27_host_inside_container_that_masks_proc";
    if is_again() {
        let error = attempt(&["processes=1"]);
        println!("{error}\n{:?}", error.hints());
        assert_blames_host(&error, &["step `proc`", "os error 1"]);
        assert!(
            error.hints()[0].contains("systempaths=unconfined"),
            "{error:?}"
        );
        return;
    }
    let mask = "mount -t tmpfs none /proc/irq";
    let mut command = again_after("-Urm", mask, TEST);
    let home = as_nobody(&mut command, "masked");
    let output = assert_passes(&mut command);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    fs::remove_dir_all(home).unwrap();
}

/// Makes every cgroup mount read-only, as it is in a container.
const READ_ONLY_CGROUPS: &str = "\
grep -E ' - cgroup2? ' /proc/self/mountinfo | while read -r a b c d point rest; do
    mount -o remount,bind,ro \"$point\"
done";

#[test]
fn case_28_host_setup_error_not_masked_cgroup() {
    const TEST: &str = "host::case_28_host_setup_error_not_masked_cgroup";
    if is_again() {
        // Found at the start: the plan refuses, and says what is missing.
        let error = attempt(&[]);
        println!("{error}\n{:?}", error.hints());
        assert_blames_host(&error, &["cgroup", "os error 30"]);
        // Gone since: the run fails at its first step.
        let mut facts = Host::probe().unwrap().facts().clone();
        facts.cgroup = match env::var("STOCKADE_CASE_V2") {
            Ok(parent) => Cgroup::V2 {
                parent: parent.into(),
            },
            Err(_) => Cgroup::V1 {
                memory: "/sys/fs/cgroup/memory".into(),
                pids: "/sys/fs/cgroup/pids".into(),
                cpu: "/sys/fs/cgroup/cpu".into(),
                cpuacct: "/sys/fs/cgroup/cpuacct".into(),
            },
        };
        let engine = Engine::new(Host::described(facts)).unwrap();
        let error = engine.run(&job("emit(1)"), &limited(&[])).unwrap_err();
        println!("{error}\n{:?}", error.hints());
        assert_blames_host(&error, &["step `cgroup`", "os error 30"]);
        return;
    }
    let flags = match engine().host().facts().privilege {
        Privilege::Root => "-m",
        Privilege::User => "-Urm",
    };
    let mut command = again_after(flags, READ_ONLY_CGROUPS, TEST);
    let home = belongs(&mut command, "cgroup");
    if let Cgroup::V2 { parent } = &engine().host().facts().cgroup {
        command.env("STOCKADE_CASE_V2", parent);
    }
    let output = assert_passes(&mut command);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn case_28_host_setup_error_not_masked_directories() {
    const TEST: &str = "host::case_28_host_setup_error_not_masked_directories";
    if is_again() {
        let made = Engine::new(Host::probe().unwrap());
        let error = match made {
            Err(error) => error,
            Ok(engine) => engine.run(&job("emit(1)"), &limited(&[])).unwrap_err(),
        };
        println!("{error}\n{:?}", error.hints());
        assert_blames_host(&error, &["/proc/stockade-case", "os error 2"]);
        return;
    }
    for variable in ["STOCKADE_STATE_DIR", "STOCKADE_CACHE_DIR"] {
        let output = assert_passes(again(TEST).env(variable, "/proc/stockade-case"));
        println!("{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn case_28_host_setup_error_not_masked_python() {
    const TEST: &str = "host::case_28_host_setup_error_not_masked_python";
    if is_again() {
        let error = attempt(&[]);
        println!("{error}\n{:?}", error.hints());
        let named = env::var("STOCKADE_PYTHON").unwrap();
        assert_blames_host(&error, &[&named]);
        return;
    }
    // Not there; there and no Python.
    for python in ["/nowhere/python3", "/usr/bin/true", "/etc/passwd"] {
        let mut command = again(TEST);
        command.env("STOCKADE_PYTHON", python);
        let home = belongs(&mut command, "python");
        let output = command.output().unwrap();
        fs::remove_dir_all(home).unwrap();
        assert!(
            output.status.success(),
            "{python}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn an_ordinary_user_without_a_cgroup_gets_one_process_or_a_reason() {
    const TEST: &str = "host::an_ordinary_user_without_a_cgroup_gets_one_process_or_a_reason";
    if is_again() {
        let host = Host::prove().unwrap();
        assert_eq!(host.facts().privilege, Privilege::User);
        assert_eq!(host.facts().namespaces, Fact::Works);
        assert!(
            !host.facts().cgroup.is_usable(),
            "{:?}",
            host.facts().cgroup
        );
        let error = attempt(&[]);
        println!("{error}\n{:?}", error.hints());
        assert_blames_host(&error, &["jail", "per process", "no cgroup"]);
        let hints = error.hints().join(" ");
        assert!(
            hints.contains("processes=1") && hints.contains("Delegate=yes"),
            "{hints}"
        );

        let engine = Engine::new(host).unwrap();
        let run = |source: &str, limits: &[&str]| {
            let all = [&["processes=1"], limits].concat();
            engine.run(&job(source), &limited(&all)).unwrap()
        };
        assert_ended(&run("emit(41 + 1)", &[]), "finished 42");
        assert_ended(&run("while True: pass", &["cpu=1s"]), "limit_exceeded cpu");
        assert_ended(
            &run("import time\ntime.sleep(60)", &["wall=2s"]),
            "limit_exceeded wall",
        );
        let fork = run("import os\nos.fork()", &[]);
        assert!(crate::run::ended(&fork).starts_with("raised BlockingIOError: "));
        let memory = run("x = bytearray(1 << 30)", &["memory=256MiB"]);
        assert_ended(&memory, "raised MemoryError: ");
        let seen =
            "import os\nemit([p for p in ('/root', '/home', '/var', '/sys') if os.path.exists(p)])";
        assert_ended(&run(seen, &[]), "finished []");
        assert_ended(
            &run("import ctypes\nctypes.CDLL(None).ptrace(0, 0, 0, 0)", &[]),
            "denied seccomp, SECCOMP_RET_KILL_PROCESS",
        );
        return;
    }
    let mut command = again(TEST);
    let home = as_nobody(&mut command, "nobody");
    if engine().host().facts().privilege == Privilege::User {
        command.env("STOCKADE_CGROUP", "/nowhere");
    }
    let output = assert_passes(&mut command);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn on_this_host_the_default_runs() {
    assert_ended(
        &run("emit(open('/proc/self/status').read().count('Pid'))", &[]),
        "finished 3",
    );
}
