# One use of each part of the kernel that the standard library reaches; prints what failed.
import ctypes
import fcntl
import mmap
import os
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import termios
import threading
import time

failures = []


def part(function):
    try:
        function()
    except BaseException as error:
        failures.append(f"{function.__name__}: {error!r}")


@part
def files():
    with open("a", "w+b") as file:
        file.write(b"x" * 10000)
        file.flush()
        os.fsync(file.fileno())
        fcntl.lockf(file, fcntl.LOCK_EX)
        fcntl.flock(file, fcntl.LOCK_EX)
        os.posix_fallocate(file.fileno(), 0, 20000)
        file.truncate(100)
        with mmap.mmap(file.fileno(), 100) as memory:
            memory[0] = 1
            memory.flush()
            memory.madvise(mmap.MADV_SEQUENTIAL)
    shutil.copy2("a", "b")
    os.rename("b", "c")
    os.link("c", "d")
    os.symlink("d", "e")
    assert os.readlink("e") == "d"
    os.chmod("c", 0o600)
    os.utime("c", (1, 2))
    os.chown("c", os.getuid(), os.getgid())
    os.mkfifo("fifo")
    assert stat.S_ISFIFO(os.stat("fifo").st_mode)
    os.makedirs("deep/er")
    os.replace("c", "deep/er/c")
    assert len(list(os.scandir("."))) > 3
    shutil.rmtree("deep")
    os.statvfs(".")
    os.sync()
    os.listxattr("a")


@part
def copies():
    with open("from", "wb") as file:
        file.write(b"content")
    with open("from", "rb") as source, open("to", "wb") as target:
        target.write(b"con")
        target.flush()
        os.copy_file_range(source.fileno(), target.fileno(), 4, 3, 3)
    assert open("to", "rb").read() == b"content"
    # Both try `sendfile`, and have another way.
    shutil.copyfile("from", "again")
    left, right = socket.socketpair()
    assert left.sendfile(open("again", "rb")) == 7 and right.recv(9) == b"content"
    read, write = os.pipe2(os.O_CLOEXEC)
    os.writev(write, [b"a", b"b"])
    os.preadv(os.open("to", os.O_RDONLY), [bytearray(2)], 0)
    assert os.read(read, 2) == b"ab"


@part
def memory():
    handle = os.memfd_create("m")
    os.write(handle, b"x")
    os.close(handle)
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.close()
    assert len(os.getrandom(8)) == 8
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)
    assert callback(1) == 2


@part
def events():
    libc = ctypes.CDLL(None, use_errno=True)
    for made in (
        libc.eventfd(0, 0), libc.timerfd_create(1, 0),
        libc.epoll_create1(0), libc.signalfd(-1, bytes(128), 0),
    ):
        assert made >= 0, ctypes.get_errno()
        os.close(made)
    left, right = socket.socketpair()
    with select.epoll() as epoll:
        epoll.register(right, select.EPOLLIN)
        left.send(b"x")
        assert epoll.poll(1)
    poll = select.poll()
    poll.register(right, select.POLLIN)
    assert poll.poll(1000) and select.select([right], [], [], 1)[0]
    socket.send_fds(left, [b"fd"], [0])
    assert len(socket.recv_fds(right, 10, 1)[1]) == 1


@part
def sockets():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    there = server.accept()[0]
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.sendall(b"hello")
    assert there.recv(5) == b"hello"
    datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagram.bind(("127.0.0.1", 0))
    socket.socket(socket.AF_INET6, socket.SOCK_STREAM).close()
    unix = socket.socket(socket.AF_UNIX)
    unix.bind("socket")
    unix.listen()
    socket.getaddrinfo("127.0.0.1", 80)
    socket.gethostname()


@part
def signals():
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.sigtimedwait([signal.SIGUSR1], 0.05)
    while not seen:
        signal.pause()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    os.kill(os.getpid(), signal.SIGUSR1)
    assert signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1
    signal.pthread_kill(threading.get_ident(), 0)
    assert signal.SIGALRM in signal.valid_signals()


@part
def children():
    assert subprocess.run(["cat"], input=b"x", capture_output=True).stdout == b"x"
    assert subprocess.run("exit 3", shell=True).returncode == 3
    subprocess.run(["true"], start_new_session=True, close_fds=True, umask=0o77, check=True)
    child = os.posix_spawn("/bin/true", ["true"], {})
    assert os.waitpid(child, 0)[1] == 0
    child = os.fork()
    if child == 0:
        os.execv("/bin/true", ["true"])
    descriptor = os.pidfd_open(child)
    signal.pidfd_send_signal(descriptor, 0)
    assert os.waitid(os.P_PIDFD, descriptor, os.WEXITED).si_status == 0
    assert os.popen("echo out").read() == "out\n"


@part
def limits():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 200), hard))
    resource.prlimit(0, resource.RLIMIT_CORE)
    resource.getrusage(resource.RUSAGE_CHILDREN)
    os.nice(1)
    os.getpriority(os.PRIO_PROCESS, 0)
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    os.sched_yield()
    os.getloadavg()
    assert os.cpu_count() and os.sysconf("SC_PHYS_PAGES") > 0


@part
def terminals():
    try:
        main, other = os.openpty()
    except FileNotFoundError:
        return
    assert os.isatty(other)
    termios.tcgetattr(other)
    fcntl.ioctl(other, termios.TIOCGWINSZ, bytes(8))
    assert struct.unpack("i", fcntl.ioctl(main, termios.FIONREAD, bytes(4)))[0] == 0


@part
def clocks():
    time.sleep(0.001)
    time.clock_gettime(time.CLOCK_MONOTONIC)
    time.clock_getres(time.CLOCK_REALTIME)
    time.thread_time()
    os.times()


@part
def threads():
    running = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(8)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    barrier = threading.Barrier(1)
    barrier.wait()
    threading.Event().wait(0.001)


@part
def identity():
    os.getgroups(), os.getresuid(), os.getsid(0), os.uname(), os.getpgrp()
    os.setuid(os.getuid())
    os.umask(0o77)


@part
def names():
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(15, b"name", 0, 0, 0) == 0
    assert libc.prctl(1, 0, 0, 0, 0) == 0
    assert libc.personality(0xFFFFFFFF) >= 0


print(failures)
