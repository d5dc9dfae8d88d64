//! What honest programs expect to find around them.

use crate::run::{assert_ended, assert_gone, engine, job, limited, run, submit, value};
use stockade::{Outcome, Submission};

#[test]
fn case_17_seccomp_allows_ordinary_python() {
    let source = "\
import json, ssl, sqlite3, uuid, tempfile, threading, subprocess, asyncio, zoneinfo
import concurrent.futures as cf
with cf.ThreadPoolExecutor(4) as p: r = list(p.map(abs, [-1, -2]))
async def f(): await asyncio.sleep(0); return 3
emit([r, asyncio.run(f()), subprocess.run(['true']).returncode, str(uuid.uuid4())[14]])
";
    let record = run(source, &[]);
    assert_ended(&record, "finished [[1,2],3,0,\"4\"]");
    assert_eq!(record.stderr.text(), "");
}

#[test]
fn case_13_memory_thread_variables_say_the_share_of_cpus() {
    let source = "\
import os
names = ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS')
emit([[int(os.environ[n]) for n in names], len(os.sched_getaffinity(0))])
";
    assert_eq!(value(source, &[]), "[[1,1,1,1],1]");
    let cpus = engine().host().facts().cpus.min(2);
    let expected = format!("[[{cpus},{cpus},{cpus},{cpus}],{cpus}]");
    assert_eq!(value(source, &["cpus=2"]), expected);
}

#[test]
fn case_18_env_home_and_cache_dirs() {
    let source = "\
import os, pathlib, tempfile
h = pathlib.Path.home(); (h / '.probe').write_text('x')
ok = [os.access(os.environ.get(k, '/nonexistent'), os.W_OK)
      for k in ('HOME', 'MPLCONFIGDIR', 'XDG_CACHE_HOME', 'NUMBA_CACHE_DIR')]
emit([ok, os.access(tempfile.gettempdir(), os.W_OK), os.getcwd() != '/'])
";
    // Twice: a home is private to its run.
    for _ in 0..2 {
        let record = run(source, &[]);
        assert_ended(&record, "finished [[true,true,true,true],true,true]");
        assert_eq!(record.stderr.text(), "");
    }
    let fresh = "\
import os, pwd
emit([os.path.exists(os.path.expanduser('~/.probe')),
      pwd.getpwuid(os.getuid()).pw_dir == os.environ['HOME']])
";
    assert_eq!(value(fresh, &[]), "[false,true]");
}

#[test]
fn case_19_env_shm_and_semaphores() {
    for method in ["fork", "spawn", "forkserver"] {
        let source = format!(
            "\
import multiprocessing as mp
from multiprocessing import shared_memory
def sq(x): return x * x
if __name__ == '__main__':
    mp.set_start_method('{method}')
    s = shared_memory.SharedMemory(create=True, size=1 << 20); s.close(); s.unlink()
    with mp.Pool(2) as p: emit(p.map(sq, [1, 2, 3]))
"
        );
        let record = run(&source, &["wall=120s"]);
        assert_ended(&record, "finished [1,4,9]");
        assert_eq!(record.stderr.text(), "", "{method}");
        assert_gone(&record);
    }
    let devices = "\
import os
emit([open('/dev/zero', 'rb').read(2) == b'\\0\\0', len(open('/dev/urandom', 'rb').read(8)),
      open('/dev/null', 'w').write('x'), os.listdir('/dev/shm'),
      oct(os.stat('/dev/shm').st_mode & 0o7777)])
";
    assert_eq!(value(devices, &[]), "[true,8,1,[],\"0o1777\"]");
    let full = run("open('/dev/full', 'w').write('x')", &[]);
    assert!(matches!(
        full.outcome,
        Outcome::ResultRejected(_) | Outcome::Raised { .. }
    ));
}

#[test]
fn case_20_env_code_is_a_real_main_file() {
    let source = "\
import inspect, pathlib
def f(): return 1
if __name__ == '__main__':
    src = inspect.getsource(f)
    assert pathlib.Path(__file__).exists()
    1 / 0   # line 6
";
    let record = engine()
        .run(&Submission::python(source), &limited(&[]))
        .unwrap();
    assert_ended(&record, "raised ZeroDivisionError: division by zero");
    let Outcome::Raised { traceback, .. } = &record.outcome else {
        unreachable!("asserted above");
    };
    let frames: Vec<_> = traceback
        .lines()
        .filter(|line| line.contains("File "))
        .collect();
    assert_eq!(frames, ["  File \"/work/job.py\", line 6, in <module>"]);
    assert_eq!(record.stderr.text(), *traceback);
}

#[test]
fn case_20_env_a_mebibyte_of_source_works() {
    let code = "from stockade_guest import emit\nemit(len(open(__file__).read()))\n#";
    let source = format!("{code}{}", "x".repeat((1 << 20) - code.len()));
    let record = engine()
        .run(&Submission::python(source), &limited(&[]))
        .unwrap();
    assert_ended(&record, "finished 1048576");
}

#[test]
fn case_21_env_utf8_everywhere() {
    let source = "\
import sys, locale
open('données-日本.txt', 'w').write('é日')
print('é日😀'); print('é', file=sys.stderr)
emit([open('données-日本.txt').read(), sys.stdout.encoding.lower(),
      locale.getpreferredencoding().lower()])
";
    let record = run(source, &[]);
    let Outcome::Finished { value: Some(value) } = &record.outcome else {
        panic!("{}", record.to_json());
    };
    let items: Vec<_> = value
        .tree()
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect();
    assert_eq!(items, ["é日", "utf-8", "utf-8"]);
    assert_eq!(record.stdout.text(), "é日😀\n");
    assert_eq!(record.stderr.text(), "é\n");
}

#[test]
fn case_21_env_a_file_of_a_foreign_name_comes_in_under_it() {
    let source = "import os\nemit([sorted(os.listdir('.')), open('données-日本.txt').read()])";
    let submission = job(source).file("données-日本.txt", "é").unwrap();
    let record = submit(&submission, &limited(&[])).unwrap();
    let Outcome::Finished { value: Some(value) } = &record.outcome else {
        panic!("{}", record.to_json());
    };
    let text = value.tree()[0][0].as_str().unwrap();
    assert_eq!(
        (text, value.tree()[1].as_str()),
        ("données-日本.txt", Some("é"))
    );
}

#[test]
fn case_24_files_arrive_where_they_should_and_nowhere_else() {
    let source = "\
import os
emit(sorted(os.path.relpath(os.path.join(d, f)) for d, _, fs in os.walk('.') for f in fs))
";
    for bad in [
        "../evil",
        "/etc/cron.d/x",
        "a/../../b",
        "..%2fb",
        "a\\..\\b",
        "x\0y",
        "",
    ] {
        let good = job(source).file("ok/sub/f.txt", "x").unwrap();
        assert!(good.file(bad, "x").is_err(), "{bad:?}");
    }
    let submission = job(source).file("ok/sub/f.txt", "x").unwrap();
    let record = submit(&submission, &limited(&[])).unwrap();
    assert_ended(&record, "finished [\"job.py\",\"ok/sub/f.txt\"]");
}

#[test]
fn a_helper_beside_the_program_is_found_and_does_not_shadow_the_library() {
    let source = "import helper, random\nemit([helper.x, hasattr(random, 'Random')])";
    let submission = job(source)
        .file("helper.py", "x = 7")
        .and_then(|job| job.file("random.py", "x = 8"))
        .unwrap();
    let record = submit(&submission, &limited(&[])).unwrap();
    assert_ended(&record, "finished [7,true]");
}

#[test]
fn standard_input_is_at_its_end() {
    let source = "import sys\ntry: input()\nexcept EOFError: emit(sys.stdin.read())";
    assert_eq!(value(source, &[]), "\"\"");
}

#[test]
fn what_a_template_has_cannot_be_changed() {
    let source = "\
import os, sys
told = []
for path in ('/usr/x', '/etc/passwd', os.__file__, sys.executable, '/x', '/dev/x',
             '/proc/sys/kernel/hostname', '/run/x'):
    try: open(path, 'a').write('x'); told.append(path)
    except OSError: pass
emit(told)
";
    assert_eq!(value(source, &[]), "[]");
}
