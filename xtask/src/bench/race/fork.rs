//! The floor: an interpreter that has imported everything is forked, the copy runs the job, and is
//! waited for. No fence, no boundary, nothing that could not be had from a few lines of Python.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads a directory a line, answers with the wait status and the page faults of the copy.
const SERVER: &str = r#"
import gc, importlib, os, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
gc.freeze()
print("ready", flush=True)
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os.chdir(line.rstrip("\n"))
        sys.argv = ["job.py", "out.json"]
        code = 1
        try:
            with open("job.py", "rb") as job:
                source = job.read()
            exec(compile(source, "job.py", "exec"), {"__name__": "__main__"})
            code = 0
        finally:
            os._exit(code)
    _, status, usage = os.wait4(pid, 0)
    print(status, usage.ru_minflt, flush=True)
"#;

/// What the template `code-interpreter` has imported, or `python` of what a job uses.
pub(crate) const PACKAGES: [&str; 3] = ["json", "numpy", "pandas"];

/// The interpreter that is forked.
#[derive(Debug)]
pub(crate) struct Fork(Mutex<Server>);

#[derive(Debug)]
struct Server {
    child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

impl Fork {
    /// Starts `python`, and waits until it has imported `modules`.
    pub(crate) fn start(python: &Path, modules: &[&str]) -> Result<Self, String> {
        let failed = |e| format!("cannot start `{}`: {e}", python.display());
        let mut child = Command::new(python)
            .args(["-I", "-B", "-c", SERVER])
            .args(modules)
            .env_clear()
            .env("OPENBLAS_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(ask), Some(answer)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("an interpreter was started without pipes".to_owned());
        };
        let answer = BufReader::new(answer);
        let mut server = Server { child, ask, answer };
        match server.line()?.as_str() {
            "ready" => Ok(Self(Mutex::new(server))),
            other => Err(format!("the interpreter to fork says `{other}`")),
        }
    }

    /// Runs `job.py` of a directory, and says how many page faults that took.
    pub(crate) fn run(&self, work: &Path) -> Result<u64, String> {
        let mut server = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(server.ask, "{}", work.display())
            .map_err(|e| format!("cannot ask the interpreter to fork: {e}"))?;
        let line = server.line()?;
        match line.split_once(' ') {
            Some(("0", faults)) => faults.parse().map_err(|_| format!("`{line}` is no answer")),
            Some((status, _)) => Err(format!("the copy ended with wait status {status}")),
            None => Err(format!("the interpreter to fork says `{line}`")),
        }
    }
}

impl Server {
    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.answer
            .read_line(&mut line)
            .map_err(|e| format!("cannot hear the interpreter to fork: {e}"))?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It holds nothing that must be written.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
