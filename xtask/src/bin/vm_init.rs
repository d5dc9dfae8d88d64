//! Process 1 of the virtual machine: mounts, runs one command, reports, and ends the machine.
#![forbid(unsafe_code)]

use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_change, mount_move,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};
use rustix::system::{RebootCommand, reboot};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use vm_frame::{CONTENT_BYTES_MAX, Frame, PORT, TASK};

const CGROUP: &str = "/sys/fs/cgroup";
const SOMEONE: u32 = 1000;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("start") {
        let error = start();
        eprintln!("cannot start the command: {error}");
        return ExitCode::from(127);
    }
    if let Err(error) = serve() {
        eprintln!("vm-init: {error}");
    }
    // QEMU runs with `-no-reboot`: this ends it.
    match reboot(RebootCommand::Restart) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vm-init: cannot reboot: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    prepare()?;
    let port = Arc::new(Mutex::new(File::options().write(true).open(PORT)?));
    let last = run(&port).unwrap_or_else(|e| Frame::Failed(e.to_string()));
    last.write(&mut *locked(&port))
}

/// Makes the machine look like a host: its own root mount, the kernel's file systems, cgroups.
fn prepare() -> io::Result<()> {
    // The first root can be neither pivoted from nor left by a user namespace; a mount over it can.
    fs::create_dir("/root.mount")?;
    mount_bind("/", "/root.mount")?;
    std::env::set_current_dir("/root.mount")?;
    mount_move(".", "/")?;
    rustix::process::chroot(".")?;
    mount_change(
        "/",
        MountPropagationFlags::SHARED | MountPropagationFlags::REC,
    )?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    for (kind, place, flags, options) in [
        ("devtmpfs", "/dev", MountFlags::NOSUID, c""),
        ("proc", "/proc", plain, c""),
        ("sysfs", "/sys", plain, c""),
        ("cgroup2", CGROUP, plain, c""),
        ("tmpfs", "/tmp", plain, c"mode=1777"),
        ("tmpfs", "/run", plain, c"mode=755"),
        ("tmpfs", "/dev/shm", plain, c"mode=1777"),
        (
            "devpts",
            "/dev/pts",
            MountFlags::NOSUID,
            c"mode=620,ptmxmode=666",
        ),
    ] {
        fs::create_dir_all(place).map_err(|e| about(place, &e))?;
        mount(kind, place, kind, flags, options).map_err(|e| about(place, &e.into()))?;
    }
    for (link, target) in [
        ("fd", ""),
        ("stdin", "/0"),
        ("stdout", "/1"),
        ("stderr", "/2"),
    ] {
        std::os::unix::fs::symlink(
            format!("/proc/self/fd{target}"),
            Path::new("/dev").join(link),
        )?;
    }
    fs::write("/proc/sys/kernel/hostname", "vm")?;
    fs::write(
        Path::new(CGROUP).join("cgroup.subtree_control"),
        "+cpu +memory +pids",
    )?;
    for (name, owner) in [("session", 0), ("delegated", SOMEONE)] {
        let group = Path::new(CGROUP).join(name);
        fs::create_dir(&group)?;
        // As systemd delegates: these and not the limits, which stay with who gave the cgroup.
        for file in [
            "",
            "cgroup.procs",
            "cgroup.subtree_control",
            "cgroup.threads",
        ] {
            chown(group.join(file), Some(owner), Some(owner))?;
        }
    }
    fs::create_dir_all("/run/user/1000")?;
    chown("/run/user/1000", Some(SOMEONE), Some(SOMEONE))?;
    fs::set_permissions("/run/user/1000", Permissions::from_mode(0o700))
}

fn run(port: &Arc<Mutex<File>>) -> io::Result<Frame> {
    let mut child = Command::new("/proc/self/exe")
        .arg("start")
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let readers = [
        child
            .stdout
            .take()
            .map(|pipe| forward(pipe, port, Frame::Stdout)),
        child
            .stderr
            .take()
            .map(|pipe| forward(pipe, port, Frame::Stderr)),
    ];
    let last = reap(&child)?;
    // What is left holds the pipes. The group of process 1 is, to `kill`, every process but it.
    if let Err(error) = kill_process_group(Pid::INIT, Signal::KILL)
        && error != rustix::io::Errno::SRCH
    {
        return Err(error.into());
    }
    for reader in readers.into_iter().flatten() {
        reader
            .join()
            .map_err(|_| io::Error::other("a reader of the command's output died"))??;
    }
    Ok(last)
}

/// Waits for `child`, and for every orphan that ends before it.
fn reap(child: &Child) -> io::Result<Frame> {
    loop {
        let Some((pid, status)) = wait(WaitOptions::empty())? else {
            continue;
        };
        if u32::try_from(pid.as_raw_nonzero().get()).ok() == Some(child.id()) {
            return ended(status);
        }
    }
}

fn ended(status: WaitStatus) -> io::Result<Frame> {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ok(Frame::Exited(code)),
        (None, Some(signal)) => Ok(Frame::Signalled(signal)),
        (None, None) => Err(io::Error::other(format!(
            "the command neither exited nor died: {status:?}"
        ))),
    }
}

fn forward(
    mut pipe: impl Read + Send + 'static,
    port: &Arc<Mutex<File>>,
    frame: fn(Vec<u8>) -> Frame,
) -> JoinHandle<io::Result<()>> {
    let port = Arc::clone(port);
    thread::spawn(move || {
        let mut buffer = vec![0; CONTENT_BYTES_MAX];
        loop {
            let count = pipe.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            frame(buffer[..count].to_vec()).write(&mut *locked(&port))?;
        }
    })
}

// A thread that died while writing leaves half a frame; the host then says so.
fn locked(port: &Mutex<File>) -> MutexGuard<'_, File> {
    port.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Becomes the command, in its cgroup and as its user. Returns only when that fails.
fn start() -> io::Error {
    match command() {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    }
}

fn command() -> io::Result<Command> {
    let words = |name: &str| -> io::Result<Vec<String>> {
        let path = Path::new(TASK).join(name);
        let text = fs::read_to_string(&path).map_err(|e| about(&path.to_string_lossy(), &e))?;
        Ok(text
            .split('\0')
            .filter(|_| !text.is_empty())
            .map(str::to_owned)
            .collect())
    };
    let argv = words("argv")?;
    let (program, arguments) = argv
        .split_first()
        .ok_or_else(|| io::Error::other("the task names no command"))?;
    let env = words("env")?;
    let env = env.iter().filter_map(|pair| pair.split_once('='));
    let mut command = Command::new(program);
    command.args(arguments).envs(env).current_dir("/tmp");
    let (group, uid) = match words("user")?.first().map(String::as_str) {
        Some("root") => ("session", 0),
        Some("delegated") => ("delegated", SOMEONE),
        other => {
            return Err(io::Error::other(format!(
                "the task names no user: {other:?}"
            )));
        }
    };
    fs::write(Path::new(CGROUP).join(group).join("cgroup.procs"), "0")?;
    if uid != 0 {
        command
            .uid(uid)
            .gid(uid)
            .env("HOME", "/tmp")
            .env("XDG_RUNTIME_DIR", "/run/user/1000");
    }
    Ok(command)
}

fn about(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}
