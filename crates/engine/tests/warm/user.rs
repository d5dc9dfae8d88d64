//! Warm starts without root, and on most hosts without a cgroup: one process a run, everything else
//! as for root.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::run::{State, again, assert_passes, ended, is_again, job, limited};
use crate::twin;
use stockade::facts::Privilege;
use stockade::{Engine, Host};

const TEST: &str = "user::an_ordinary_user_has_warm_starts_too";

/// Any uid that is nobody's.
const NOBODY: u32 = 65_534;

#[test]
fn an_ordinary_user_has_warm_starts_too() {
    if !is_again() {
        let state = State::new("user");
        fs::set_permissions(&state.0, fs::Permissions::from_mode(0o777)).unwrap();
        // The one that was built may be where only root can go.
        let program = state.0.join("warm");
        fs::copy(env::current_exe().unwrap(), &program).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let own = again(TEST, &state);
        let mut command = Command::new(program);
        command
            .args(own.get_args())
            .envs(
                own.get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .env("HOME", &state.0)
            .env("STOCKADE_STATE_DIR", state.0.join("state"))
            .env("STOCKADE_CACHE_DIR", state.0.join("cache"));
        if stockade_sys::process::effective_uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        assert_passes(&mut command);
        return;
    }
    let engine = Engine::new(Host::probe().unwrap()).unwrap();
    assert_eq!(engine.host().facts().privilege, Privilege::User);
    let beyond = if engine.host().facts().cgroup.is_usable() {
        "limit_exceeded memory"
    } else {
        "raised MemoryError: "
    };
    for (source, limits, expected) in [
        ("emit(1)", "wall=20s", "finished 1"),
        ("import sys\nsys.exit(3)", "wall=20s", "exited 3"),
        (
            "1 / 0",
            "wall=20s",
            "raised ZeroDivisionError: division by zero",
        ),
        (
            "import os\nos.fork()",
            "wall=20s",
            "raised BlockingIOError: [Errno 11] Resource temporarily unavailable",
        ),
        ("while True: pass", "cpu=500ms", "limit_exceeded cpu"),
        ("while True: pass", "wall=500ms", "limit_exceeded wall"),
        ("x = bytearray(1 << 30)", "memory=512MiB", beyond),
        (
            "import os\nemit([os.path.exists(f'/proc/{n}') for n in (1, 2, 3, 4)])",
            "wall=20s",
            "finished [true,true,false,false]",
        ),
    ] {
        let policy = limited(&["processes=1", limits]);
        let record = twin::run(&engine, &job(source), &policy).unwrap();
        assert_eq!(ended(&record), expected, "{}", record.to_json());
    }
}
