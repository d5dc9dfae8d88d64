//! What the host has and the guest must not.

use crate::run::{
    again, assert_ended, assert_passes, engine, is_again, job, limited, run, submit, value,
};
use stockade::facts::Privilege;

/// The documented environment.
const ALLOWED: &str = "{'PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'USER', 'LOGNAME', \
    'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'MPLCONFIGDIR', 'NUMBA_CACHE_DIR', \
    'OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS', \
    'VECLIB_MAXIMUM_THREADS', 'NUMBA_NUM_THREADS', 'PYTHONDONTWRITEBYTECODE', \
    'STOCKADE_RESULT_DEPTH', 'SSL_CERT_FILE'}";

#[test]
fn case_22_secrets_not_in_env_or_proc() {
    if !is_again() {
        let mut command = again("secret::case_22_secrets_not_in_env_or_proc");
        command
            .env("CANARY_TOKEN", "x")
            .env("DATABASE_URL", "CANARY");
        assert_passes(&mut command);
        return;
    }
    let own = std::fs::read("/proc/self/environ").unwrap();
    assert!(
        String::from_utf8_lossy(&own).contains("CANARY"),
        "the control"
    );
    let source = format!(
        "\
import os, glob
ALLOWED = {ALLOWED}
hits = [k for k in os.environ if k not in ALLOWED]
for p in glob.glob('/proc/[0-9]*/environ'):
    try: hits += [p] if b'CANARY' in open(p, 'rb').read() else []
    except OSError: pass
emit(hits)
"
    );
    assert_eq!(value(&source, &[]), "[]");
    let template = engine().plan(&job(""), &limited(&[])).unwrap().0;
    let template = engine().template(&template).unwrap();
    println!("of the template: {:?}", template.env);
}

#[test]
fn files_of_the_host_are_not_there() {
    let paths = "['/root', '/home', '/var', '/sys', '/boot', '/mnt', '/media', '/srv', '/opt', \
        '/etc/shadow', '/etc/hostname', '/etc/machine-id', '/etc/ssh', '/etc/sudoers', \
        '/proc/kcore', \
        '/proc/kallsyms', '/proc/sysrq-trigger', '/proc/cmdline', '/dev/kvm', '/dev/mem', \
        '/dev/tty', '/dev/ptmx', '/dev/pts', '/run/systemd', '/run/docker.sock', '/.dockerenv']";
    let source = format!("import os\nemit([p for p in {paths} if os.path.exists(p)])");
    assert_eq!(value(&source, &[]), "[]");
    for there in ["/etc/hostname", "/var", "/sys", "/proc/cmdline"] {
        assert!(std::path::Path::new(there).exists(), "the control: {there}");
    }
}

#[test]
fn the_users_of_the_host_are_unknown() {
    let source = "import pwd\nemit(sorted(p.pw_name for p in pwd.getpwall()))";
    let names = value(source, &[]);
    assert!(names.contains("sandbox"), "{names}");
    let of_host = std::fs::read_to_string("/etc/passwd").unwrap();
    let known = |name: &str| names.contains(&format!("\"{name}\""));
    for line in of_host.lines() {
        let name = line.split(':').next().unwrap();
        let everywhere = ["root", "nobody", "sandbox"].contains(&name);
        assert!(everywhere || !known(name), "{name} in {names}");
    }
}

#[test]
fn the_name_and_the_users_of_the_host_do_not_show() {
    let source = "\
import os, socket
status = dict(l.rstrip('\\n').split(':\\t', 1) for l in open('/proc/self/status'))
emit([socket.gethostname(), os.getuid(), os.geteuid(), os.getgid(), os.getgroups(),
      [status[k] for k in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb')],
      status['NoNewPrivs'], status['Seccomp']])
";
    let none = "\"0000000000000000\"";
    let value = value(source, &[]);
    let expected = format!(
        "[\"stockade\",1000,1000,1000,[],[{none},{none},{none},{none},{none}],\"1\",\"2\"]"
    );
    // A user who is not root brings no group and no capability that could be dropped further.
    assert_eq!(value.replace("[65534]", "[]"), expected);
}

#[test]
fn the_process_rung_shows_what_the_jail_hides() {
    // A control of the tests above, and of what the description of this rung says.
    let source = "import os\nemit([os.path.exists(p) for p in ('/etc/hostname', '/var', '/sys')])";
    let policy = limited(&[]).rung("process");
    if engine().host().facts().privilege == Privilege::User {
        let refused = submit(&job(source), &policy).unwrap_err();
        assert!(refused.to_string().contains("only root"), "{refused}");
        return;
    }
    let record = submit(&job(source), &policy).unwrap();
    assert_ended(&record, "finished [true,true,true]");
    assert_eq!(value(source, &[]), "[false,false,false]");
    let environment = run(
        "import os\nemit(sorted(os.environ) == sorted(k for k in os.environ if 'CARGO' not in k))",
        &[],
    );
    assert_ended(&environment, "finished true");
}
