//! One QEMU process: started, listened to, and always killed.

use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use vm_frame::Frame;

/// The fastest to boot that was found. The guest is thrown away: its mitigations protect nobody.
const CMDLINE: &str = "console=ttyS0 quiet panic=-1 mitigations=off nopti no5lvl nokaslr \
    lapic=notscdeadline cryptomgr.notests audit=0 random.trust_cpu=on no_timer_check \
    noreplace-smp i8042.noaux rcupdate.rcu_expedited=1 cgroup_no_v1=all rdinit=/init";
/// What is shown of the kernel's console when the machine fails.
const CONSOLE_BYTES_SHOWN: usize = 4096;

/// What the machine is made of.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) kernel: &'a Path,
    pub(crate) initrd: &'a Path,
    pub(crate) console: &'a Path,
    pub(crate) memory_mib: u32,
    pub(crate) cpus: u32,
}

/// Why nothing more is said.
#[derive(Debug)]
pub(crate) enum Silence {
    /// The emulator has ended, or closed its output.
    Ended(String),
    /// The time is up.
    Late(String),
}

/// A running machine; dropping it kills it.
#[derive(Debug)]
pub(crate) struct Machine {
    child: Child,
    frames: Receiver<io::Result<Frame>>,
    deadline: Instant,
}

impl Machine {
    /// Starts one that has until `limit` from now.
    pub(crate) fn start(parts: &Parts<'_>, limit: Duration) -> Result<Self, String> {
        // `setpriv` becomes QEMU; the kernel kills that if this script dies before it.
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "--", "qemu-system-x86_64"])
            .args(["-M", "pc", "-accel", "tcg,thread=multi", "-cpu", "max"])
            .args([
                "-m",
                &format!("{}M", parts.memory_mib),
                "-smp",
                &parts.cpus.to_string(),
            ])
            .args([
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-no-reboot",
            ])
            .arg("-kernel")
            .arg(parts.kernel)
            .arg("-initrd")
            .arg(parts.initrd)
            .args(["-append", CMDLINE, "-serial"])
            .arg(format!("file:{}", parts.console.display()))
            .args(["-device", "virtio-serial-pci"])
            .args(["-chardev", "stdio,id=port,signal=off"])
            .args(["-device", "virtserialport,chardev=port,name=stockade"])
            // Held open: at end of file QEMU calls the port disconnected and drops what is written.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = command
            .spawn()
            .map_err(|e| format!("cannot start `setpriv`: {e}"))?;
        let output = child.stdout.take();
        let (sender, frames) = channel();
        let machine = Self {
            child,
            frames,
            deadline: Instant::now() + limit,
        };
        let mut output = output.ok_or("QEMU has no standard output")?;
        thread::spawn(move || {
            loop {
                let frame = Frame::read(&mut output);
                let last = frame.is_err();
                if sender.send(frame).is_err() || last {
                    return;
                }
            }
        });
        Ok(machine)
    }

    /// The next thing that init says, or why there is none.
    pub(crate) fn next(&mut self) -> Result<Frame, Silence> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.frames.recv_timeout(left) {
            Ok(Ok(frame)) => Ok(frame),
            Ok(Err(e)) => Err(Silence::Ended(format!(
                "the machine fell silent ({e}); {}",
                self.ended()
            ))),
            Err(RecvTimeoutError::Timeout) => {
                Err(Silence::Late("the machine's deadline passed".to_owned()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Silence::Ended("the machine's reader is gone".to_owned()))
            }
        }
    }

    fn ended(&mut self) -> String {
        match self.child.try_wait() {
            Ok(None) => "QEMU still runs".to_owned(),
            Ok(Some(status)) => format!("QEMU ended with {}", described(status)),
            Err(e) => format!("QEMU cannot be waited for: {e}"),
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Both fail only when it has been waited for, and then it is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn described(status: ExitStatus) -> String {
    status
        .signal()
        .map_or_else(|| status.to_string(), |signal| format!("signal {signal}"))
}

/// The end of the kernel's console, for an error message.
pub(crate) fn console_end(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Err(e) = std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
        return format!("no console: {e}");
    }
    let from = bytes.len().saturating_sub(CONSOLE_BYTES_SHOWN);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}
