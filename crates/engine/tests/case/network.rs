//! Whom a run can reach.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

use crate::run::{assert_ended, job, limited, submit, value};
use stockade::Grants;

#[test]
fn case_23_net_off_by_default_metadata_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = format!("stockade-case-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    match TcpStream::connect(("127.0.0.1", port)) {
        Err(error) if error.kind() == ErrorKind::NetworkUnreachable => {
            println!("skipped the control: this machine's own loopback is down");
        }
        connected => drop(connected.expect("the control: it listens")),
    }
    UnixStream::connect_addr(&address).expect("the control: it listens");

    let source = format!(
        "\
import socket, time
began = time.monotonic()
bad = []; why = set()
for h, p in [('169.254.169.254', 80), ('100.100.100.200', 80), ('127.0.0.1', {port}),
             ('::1', {port}), ('1.1.1.1', 53)]:
    try: socket.create_connection((h, p), 1).close(); bad.append(h)
    except OSError as e: why.add(e.errno)
try: socket.getaddrinfo('localtest.example', 80); bad.append('dns')
except OSError: pass
try:
    s = socket.socket(socket.AF_UNIX); s.connect('\\0{name}'); bad.append('abstract')
except OSError: pass
for kind in (socket.AF_NETLINK, socket.AF_PACKET, 40):
    try: socket.socket(kind, socket.SOCK_RAW); bad.append(kind)
    except OSError: pass
assert time.monotonic() - began < 30
emit([bad, sorted(why)])
"
    );
    // ENETDOWN at the first call: nothing is waited for.
    assert_eq!(value(&source, &[]), "[[],[100]]");
}

#[test]
fn a_granted_loopback_is_the_runs_own() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let source = format!(
        "\
import socket, threading
bad = []
for h, p in [('127.0.0.1', {port}), ('1.1.1.1', 53), ('169.254.169.254', 80)]:
    try: socket.create_connection((h, p), 1).close(); bad.append(h)
    except OSError: pass
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].send(b'own')
emit([bad, client.recv(3).decode()])
"
    );
    let policy = limited(&[]).grants(Grants { loopback: true });
    let record = submit(&job(&source), &policy).unwrap();
    assert_ended(&record, "finished [[],\"own\"]");
}

#[test]
fn two_runs_do_not_meet_in_an_abstract_socket_or_a_file() {
    let listen = "\
import socket, time
s = socket.socket(socket.AF_UNIX); s.bind('\\0meet'); s.listen()
open('/tmp/meet', 'w').write('x'); open('/dev/shm/meet', 'w').write('x')
print('ready')
time.sleep(60)
";
    let visit = "\
import os, socket
met = [p for p in ('/tmp/meet', '/dev/shm/meet') if os.path.exists(p)]
try: socket.socket(socket.AF_UNIX).connect('\\0meet'); met.append('abstract')
except OSError: pass
emit(met)
";
    crate::library::while_running(listen, "ready", || assert_eq!(value(visit, &[]), "[]"));
}
