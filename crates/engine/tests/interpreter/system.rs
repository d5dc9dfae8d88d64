//! What ordinary Python asks of the system, with the packages beside it.

use crate::start::{both, gives, job, policy};
use stockade::Outcome;

#[test]
fn case_12_memory_limit_is_resident_not_virtual() {
    let source = "\
import mmap
m = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
m[0] = 1
emit('ok')
";
    gives(source, &["memory=256MiB"], "\"ok\"");
}

#[test]
fn case_13_memory_numpy_threads_follow_the_share_of_cpus() {
    let source = "\
import os, numpy as np
a = np.ones((300, 300)); b = a @ a
n = [l for l in open('/proc/self/status') if l.startswith('Threads')][0].split()[1]
emit([float(b[0, 0]), int(n)])
";
    gives(
        source,
        &["memory=512MiB", "processes=16", "cpus=1"],
        "[300.0,1]",
    );
}

#[test]
fn case_17_seccomp_allows_ordinary_python() {
    let source = "\
import json, ssl, sqlite3, uuid, tempfile, threading, subprocess, asyncio, zoneinfo
import concurrent.futures as cf
with cf.ThreadPoolExecutor(4) as p: r = list(p.map(abs, [-1, -2]))
async def f(): await asyncio.sleep(0); return 3
emit([r, asyncio.run(f()), subprocess.run(['true']).returncode, str(uuid.uuid4())[14]])
";
    gives(source, &[], "[[1,2],3,0,\"4\"]");
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
    gives(source, &[], "[[true,true,true,true],true,true]");
    let source = "\
import os, subprocess, sys
for _ in range(2):
    done = subprocess.run([sys.executable, '-c', 'import matplotlib.pyplot'], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b''), done
import matplotlib.font_manager as fonts
made = os.path.join(os.environ['MPLCONFIGDIR'], f'fontlist-v{fonts.FontManager.__version__}.json')
emit([os.path.islink(made), os.path.basename(fonts.findfont('DejaVu Sans'))])
";
    gives(source, &[], "[true,\"DejaVuSans.ttf\"]");
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
        gives(&source, &["wall=120s"], "[1,4,9]");
    }
}

#[test]
fn case_20_env_code_is_a_real_main_file() {
    let source = "\
import inspect, pathlib
def f(): return 1
if __name__ == '__main__':
    src = inspect.getsource(f)
    assert pathlib.Path(__file__).exists()
    1 / 0   # line 7, for one stands above
";
    for (way, record) in both(&job(source), &policy(&[])) {
        let Outcome::Raised {
            exception,
            traceback,
            ..
        } = &record.outcome
        else {
            panic!("{way}: {}", record.to_json());
        };
        let frames: Vec<_> = traceback
            .lines()
            .filter(|line| line.contains("File "))
            .collect();
        assert_eq!(exception, "ZeroDivisionError", "{way}");
        let frame = "  File \"/work/job.py\", line 7, in <module>";
        assert_eq!(frames, [frame], "{way}");
    }
}

#[test]
fn a_thread_pool_works_beside_numpy() {
    let source = "\
import numpy as np
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    emit(list(pool.map(lambda n: float(np.ones((n, n)).sum()), [1, 20, 300])))
";
    gives(source, &[], "[1.0,400.0,90000.0]");
}

#[test]
fn asyncio_runs_subprocesses() {
    let source = "\
import asyncio, sys
async def one(n):
    p = await asyncio.create_subprocess_exec(
        sys.executable, '-c', f'print({n} * {n})', stdout=asyncio.subprocess.PIPE)
    out, _ = await p.communicate()
    return int(out), p.returncode
async def main(): return await asyncio.gather(*[one(n) for n in range(4)])
emit(asyncio.run(main()))
";
    gives(source, &[], "[[0,0],[1,0],[4,0],[9,0]]");
}

#[test]
fn sqlite_zones_and_certificates_are_there() {
    let source = "\
import datetime, sqlite3, ssl, zoneinfo
db = sqlite3.connect('/work/a.db')
with db: db.execute('create table t (n)'); db.executemany('insert into t values (?)', [[1], [41]])
there = datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Vienna'))
emit([db.execute('select sum(n) from t').fetchone()[0], str(there.utcoffset()),
      ssl.create_default_context().cert_store_stats()['x509_ca'] > 50])
";
    gives(source, &[], "[42,\"2:00:00\",true]");
}
