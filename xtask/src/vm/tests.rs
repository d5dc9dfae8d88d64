use super::*;

const DEADLINE: Duration = Duration::from_mins(2);
const LOOK: &str = "import json, os, sys
here = open('/proc/self/cgroup').read().strip()
own = '/sys/fs/cgroup' + here.split(':')[2]
print(json.dumps({'uid': os.getuid(), 'cgroup': here,
    'controllers': sorted(open(own + '/cgroup.controllers').read().split()),
    'writable': os.access(own + '/cgroup.procs', os.W_OK)}))
print('aside', file=sys.stderr)
sys.exit(7)";

fn looks_as(user: User) -> (String, String, Status) {
    let guest = Guest::new()
        .python()
        .unwrap()
        .command(["python3", "-I", "-c", LOOK])
        .user(user);
    let output = guest.run(DEADLINE).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status)
}

#[test]
fn root_in_the_machine_has_unified_cgroups() {
    let (stdout, stderr, status) = looks_as(User::Root);
    let seen = "{\"uid\": 0, \"cgroup\": \"0::/session\", \
                \"controllers\": [\"cpu\", \"memory\", \"pids\"], \"writable\": true}\n";
    assert_eq!((stdout.as_str(), stderr.as_str()), (seen, "aside\n"));
    assert_eq!(status, Status::Exited(7));
}

#[test]
fn someone_else_in_the_machine_has_a_delegated_cgroup() {
    let (stdout, stderr, status) = looks_as(User::Delegated);
    let seen = "{\"uid\": 1000, \"cgroup\": \"0::/delegated\", \
                \"controllers\": [\"cpu\", \"memory\", \"pids\"], \"writable\": true}\n";
    assert_eq!((stdout.as_str(), stderr.as_str()), (seen, "aside\n"));
    assert_eq!(status, Status::Exited(7));
}

#[test]
fn a_command_killed_by_a_signal_is_reported_as_that() {
    let kill = "import os; os.kill(os.getpid(), 9)";
    let guest = Guest::new()
        .python()
        .unwrap()
        .command(["python3", "-I", "-c", kill]);
    assert_eq!(guest.run(DEADLINE).unwrap().status, Status::Signalled(9));
}

#[test]
fn a_command_that_does_not_end_meets_the_deadline_and_its_output_is_kept() {
    let idle = "import time; print('before', flush=True); time.sleep(600)";
    let guest = Guest::new()
        .python()
        .unwrap()
        .command(["python3", "-I", "-c", idle]);
    let error = guest.run(Duration::from_secs(20)).unwrap_err();
    assert!(
        error.starts_with("the machine's deadline passed"),
        "{error}"
    );
    assert!(error.contains("before"), "{error}");
}

#[test]
fn an_orphan_that_holds_the_pipe_does_not_hold_the_machine() {
    let leave = "import os, time\nif os.fork() == 0:\n os.setsid(); time.sleep(600)\nprint('left')";
    let guest = Guest::new()
        .python()
        .unwrap()
        .command(["python3", "-I", "-c", leave]);
    let output = guest.run(DEADLINE).unwrap();
    assert_eq!(
        (output.stdout.as_slice(), output.status),
        (&b"left\n"[..], Status::Exited(0))
    );
}

#[test]
fn someone_else_in_the_machine_can_build_what_a_jail_is_made_of() {
    // The first root of a kernel could not be pivoted from; Landlock's scopes came with ABI 6.
    let build = "mount -t tmpfs none /tmp && mkdir /tmp/old && cd /tmp && pivot_root . old \
        && echo pivoted";
    let ask = "import ctypes\nprint(ctypes.CDLL(None).syscall(444, None, 0, 1))";
    let guest = Guest::new().python().unwrap().user(User::Delegated);
    let script =
        format!("python3 -I -c '{ask}'; unshare --map-root-user --mount sh -c \"{build}\"");
    let output = guest.command(["sh", "-c", &script]).run(DEADLINE).unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let (abi, rest) = stdout.split_once('\n').unwrap();
    assert!(abi.parse::<u32>().unwrap() >= 6, "{abi}");
    assert_eq!(rest, "pivoted\n");
}
