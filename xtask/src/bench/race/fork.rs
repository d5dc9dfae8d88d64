//! The floor: an interpreter that has imported everything was forked, and its copy waits for the
//! job, runs it, and says so before it ends. No fence, no boundary: what is left is Python's work
//! and the page faults of the copy.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Each copy reads one line, a directory, and runs the job there; the next is made after its end.
const SERVER: &str = r#"
import gc, importlib, os, resource, sys, traceback
for name in sys.argv[1:]:
    importlib.import_module(name)
sys.argv = ["job.py", "out.json"]
gc.freeze()
while True:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.write(1, b"ready\n")
            line = os.read(0, 4096)
            if not line:
                os._exit(2)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            os.chdir(line.rstrip(b"\n"))
            with open("job.py", "rb") as job:
                source = job.read()
            exec(compile(source, "job.py", "exec"), {"__name__": "__main__"})
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
            os.write(1, b"done %d\n" % faults)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == 2:
        break
    if status:
        os.write(1, b"failed %d\n" % status)
"#;

/// What the template `code-interpreter` has imported, or `python` of what a job uses.
pub(crate) const PACKAGES: [&str; 3] = ["json", "numpy", "pandas"];

/// The interpreter that is forked.
#[derive(Debug)]
pub(crate) struct Fork(Mutex<Server>);

/// An interpreter in a program that speaks in lines. It is killed when this is dropped: it holds
/// nothing that must be written.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

impl Fork {
    /// Starts `python`, which imports `modules`.
    pub(crate) fn start(python: &Path, modules: &[&str]) -> Result<Self, String> {
        Server::start(python, SERVER, modules).map(|server| Self(Mutex::new(server)))
    }

    /// Waits until a copy waits.
    pub(crate) fn ready(&self) -> Result<(), String> {
        let mut server = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match server.line()?.as_str() {
            "ready" => Ok(()),
            other => Err(format!("the interpreter to fork says `{other}`")),
        }
    }

    /// Runs `job.py` of a directory in the copy that waits: how many page faults that took.
    pub(crate) fn run(&self, work: &Path) -> Result<u64, String> {
        let mut server = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        server.say(&work.display().to_string())?;
        let line = server.line()?;
        match line.split_once(' ') {
            Some(("done", faults)) => faults.parse().map_err(|_| format!("`{line}` is no answer")),
            Some(("failed", code)) => Err(format!("the copy ended with exit status: {code}")),
            Some(_) | None => Err(format!("the interpreter to fork says `{line}`")),
        }
    }
}

impl Server {
    /// Starts `python` with `program`.
    pub(super) fn start(
        python: &Path,
        program: &str,
        arguments: &[impl AsRef<OsStr>],
    ) -> Result<Self, String> {
        let mut child = Command::new(python)
            .args(["-I", "-B", "-c", program])
            .args(arguments)
            .env_clear()
            .env("OPENBLAS_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot start `{}`: {e}", python.display()))?;
        let (Some(ask), Some(answer)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("an interpreter was started without pipes".to_owned());
        };
        let answer = BufReader::new(answer);
        Ok(Self { child, ask, answer })
    }

    /// One write, so that one read gets the whole line.
    pub(super) fn say(&mut self, line: &str) -> Result<(), String> {
        self.ask
            .write_all(format!("{line}\n").as_bytes())
            .map_err(|e| format!("cannot ask a measured interpreter: {e}"))
    }

    pub(super) fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.answer
            .read_line(&mut line)
            .map_err(|e| format!("cannot hear a measured interpreter: {e}"))?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that was waited for is an error that nobody needs.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
