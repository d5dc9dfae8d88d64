//! A supervisor that is followed with all that it starts, one of which is killed at a step.
//!
//! A step is a system call that does more than look or move memory. The kernel says when one
//! begins (`ptrace(2)`), so that what is followed is what is shipped, and knows nothing of it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::run::{State, again};
use stockade_sys::process::kill;
use stockade_sys::signal::Signal;
use stockade_sys::trace::{Stop, Tracer, Until, Why};

/// Calls that look or wait, or change nothing but the caller's own memory or descriptors.
const QUIET: [&str; 57] = [
    "access",
    "arch_prctl",
    "brk",
    "capget",
    "clock_gettime",
    "clock_nanosleep",
    "faccessat2",
    "fadvise64",
    "fcntl",
    "fstat",
    "fstatfs",
    "futex",
    "getcwd",
    "getdents64",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getpgrp",
    "getpid",
    "getppid",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrusage",
    "gettid",
    "getuid",
    "ioctl",
    "lseek",
    "lstat",
    "madvise",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    "newfstatat",
    "open",
    "openat",
    "openat2",
    "poll",
    "ppoll",
    "pread64",
    "readlink",
    "readlinkat",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "set_tid_address",
    "sigaltstack",
    "stat",
    "statx",
    "uname",
];

/// Calls that are steps where their descriptor leads to somebody else, and not where it is a
/// file's.
const WITH_A_DESCRIPTOR: [&str; 2] = ["read", "close"];

/// Whether a call of process `pid` is a step; `first` is its first argument.
fn is_step(pid: i32, name: &str, first: u64) -> bool {
    if WITH_A_DESCRIPTOR.contains(&name) {
        let link = std::fs::read_link(format!("/proc/{pid}/fd/{first}"));
        let link = link.unwrap_or_default().to_string_lossy().into_owned();
        return ["socket:", "pipe:"]
            .iter()
            .any(|kind| link.starts_with(kind));
    }
    !(QUIET.contains(&name) || (name == "prctl" && first == PR_CAPBSET_READ))
}

/// Of <linux/prctl.h>.
const PR_CAPBSET_READ: u64 = 23;

/// What the supervisor says before each line that is for us.
const TOLD: &str = "step: ";

/// Whose steps are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prey {
    Supervisor,
    ZygoteInit,
    /// Who writes the ids of the zygote's user namespace, from outside of it.
    Mapper,
    Zygote,
    ChildInit,
    ChildProgram,
    ColdInit,
    ColdProgram,
}

impl Prey {
    /// How far below the supervisor it is, and how many others of a round are born there before it.
    fn place(self) -> (usize, usize) {
        match self {
            Self::Supervisor => (0, 0),
            Self::ZygoteInit | Self::ColdInit => (1, 0),
            Self::Mapper | Self::ColdProgram => (2, 0),
            Self::Zygote => (2, 1),
            Self::ChildInit => (3, 0),
            Self::ChildProgram => (4, 0),
        }
    }
}

/// A process that is followed.
#[derive(Clone, Copy, Debug)]
struct Followed {
    parent: i32,
    generation: usize,
}

/// See above.
pub(crate) struct Hunt {
    child: Child,
    said: BufReader<ChildStdout>,
    tracer: Tracer,
    prey: Prey,
    /// Which process that is, once it is there.
    pid: Option<i32>,
    /// Its steps so far, by their names.
    steps: Vec<&'static str>,
    /// The step at which it is killed.
    fatal: Option<usize>,
    /// It, and all below it, while they have not ended.
    dying: Vec<i32>,
    killed: bool,
    /// Born in this round where the prey is, before it.
    passed: usize,
    processes: BTreeMap<i32, Followed>,
    threads: BTreeMap<i32, i32>,
}

impl Hunt {
    /// Starts `test` again as the supervisor, which waits.
    pub(crate) fn start(test: &str, state: &State, prey: Prey) -> Self {
        let mut child = again(test, state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        assert_eq!(told(&mut said), "here");
        let tracer = Tracer::seize(pid).unwrap();
        let itself = Followed {
            parent: 0,
            generation: 0,
        };
        Self {
            child,
            said,
            tracer,
            prey,
            pid: (prey == Prey::Supervisor).then_some(pid),
            steps: Vec::new(),
            fatal: None,
            dying: Vec::new(),
            killed: false,
            passed: 0,
            processes: BTreeMap::from([(pid, itself)]),
            threads: BTreeMap::new(),
        }
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Tells the supervisor to go on; its answer, or `None` when it has ended with all that it has
    /// started.
    pub(crate) fn ask(&mut self, line: &str) -> Option<String> {
        let stdin: &mut ChildStdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answered = false;
        // What dies with the prey is dead before the supervisor hears more.
        while !answered || !self.dying.is_empty() {
            let stop = self.tracer.next().unwrap()?;
            if stop.tid == self.pid() || self.is_thread_of_supervisor(stop.tid) {
                answered |= stop.why == Why::Signal(Signal::USR1.as_raw());
            }
            self.see(stop);
        }
        Some(told(&mut self.said))
    }

    /// [`Hunt::ask`], with the prey of this round killed at its step `fatal`.
    pub(crate) fn round(&mut self, fatal: usize, line: &str) -> Option<String> {
        if self.prey != Prey::Supervisor {
            self.pid = None;
        }
        self.steps.clear();
        self.fatal = Some(fatal);
        self.killed = false;
        self.passed = 0;
        let answer = self.ask(line);
        if self.prey != Prey::Supervisor {
            self.fatal = None;
        }
        answer
    }

    /// Whether the prey had as many steps.
    pub(crate) fn killed(&self) -> bool {
        self.killed
    }

    /// The last step of the prey that was counted.
    pub(crate) fn last(&self) -> &'static str {
        self.steps.last().copied().unwrap_or("none")
    }

    fn is_thread_of_supervisor(&self, tid: i32) -> bool {
        self.threads.get(&tid) == Some(&self.pid())
    }

    fn see(&mut self, stop: Stop) {
        if let Why::Ended(_) = stop.why {
            self.threads.remove(&stop.tid);
            self.processes.remove(&stop.tid);
            self.dying.retain(|pid| *pid != stop.tid);
            return;
        }
        let of = self.learn(stop.tid);
        let is_prey = of.is_some() && of == self.pid;
        if let Why::Call { number, first } = stop.why
            && let Some(prey) = of.filter(|_| is_prey && !self.killed)
        {
            let name = number.map_or("?", |number| number.name());
            if is_step(prey, name, first) {
                self.step(name);
            }
        }
        let until = if is_prey && !self.killed {
            Until::Call
        } else {
            Until::Event
        };
        if stop.why == Why::Signal(Signal::USR1.as_raw()) && of == Some(self.pid()) {
            self.tracer.swallow(stop, until).unwrap();
        } else {
            self.tracer.go_on(stop, until).unwrap();
        }
    }

    /// The prey is about to take a step.
    fn step(&mut self, name: &'static str) {
        let Some(fatal) = self.fatal else {
            return;
        };
        self.steps.push(name);
        let Some(prey) = self.pid.filter(|_| self.steps.len() > fatal) else {
            return;
        };
        self.killed = true;
        self.dying = self.below(prey);
        self.dying.push(prey);
        kill(prey, Signal::KILL).unwrap();
    }

    fn below(&self, of: i32) -> Vec<i32> {
        let own = self
            .processes
            .iter()
            .filter(|(_, followed)| followed.parent == of)
            .map(|(pid, _)| *pid);
        own.flat_map(|pid| [self.below(pid), vec![pid]].concat())
            .collect()
    }

    /// The process of a thread; it may be a new one. `None` when it has ended meanwhile.
    fn learn(&mut self, tid: i32) -> Option<i32> {
        if let Some(process) = self.threads.get(&tid) {
            return Some(*process);
        }
        let status = std::fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse::<i32>().ok()
        };
        let (process, parent) = (number("Tgid:")?, number("PPid:")?);
        self.threads.insert(tid, process);
        if let Some(above) = self.processes.get(&parent).copied()
            && !self.processes.contains_key(&process)
        {
            let generation = above.generation + 1;
            self.processes
                .insert(process, Followed { parent, generation });
            if self.dying.contains(&parent) {
                self.dying.push(process);
            }
            let (below, others) = self.prey.place();
            // To prepare a template an interpreter may be started as well, which is no guest.
            let spaces = status.lines().find_map(|line| line.strip_prefix("NStgid:"));
            let is_guest = spaces.is_some_and(|ids| ids.split_whitespace().count() > 1);
            if generation == below && is_guest && self.pid.is_none() {
                if self.passed == others {
                    self.pid = Some(process);
                }
                self.passed += 1;
            }
        }
        Some(process)
    }
}

/// The supervisor's next line for us.
fn told(said: &mut impl BufRead) -> String {
    loop {
        let mut line = String::new();
        assert!(said.read_line(&mut line).unwrap() > 0, "it has ended");
        if let Some((_, text)) = line.split_once(TOLD) {
            return text.trim_end().to_owned();
        }
    }
}

/// In the supervisor: says that it is there, to be followed.
pub(crate) fn here() -> String {
    println!("{TOLD}here");
    heard()
}

/// In the supervisor: answers, and waits for what is asked next.
pub(crate) fn answer(text: &str) -> String {
    println!("{TOLD}{text}");
    // Who follows us sees it, and keeps it from us.
    kill(i32::try_from(std::process::id()).unwrap(), Signal::USR1).unwrap();
    heard()
}

fn heard() -> String {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}
