# The fourth: reads a request, does it, says what came of it in one line of JSON.


def bound():
    """Limits for what follows; the parent kills it in any case."""
    import resource

    for name, most in (
        ("RLIMIT_CPU", 10), ("RLIMIT_AS", 2 << 30), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0),
        ("RLIMIT_NOFILE", 64), ("RLIMIT_NPROC", 64),
    ):
        resource.setrlimit(getattr(resource, name), (most, most))


def line(text):
    """The first line, without addresses, which differ from run to run."""
    first = (text.splitlines() or [""])[0]
    return re.sub(r" at 0x[0-9a-f]+", "", first)[:160].strip()


def first_line(error):
    """An error as one line. Its text is the submission's: it is made with care, and cut."""
    try:
        text = str(error)
    except Exception:
        text = ""
    text = line(text)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def cell(request):
    """One technique in one sandbox, or in the guest of a rung."""
    need = request.get("min_python")
    if need and sys.version_info < tuple(need):
        wanted, found = ".".join(map(str, need)), ".".join(map(str, sys.version_info[:3]))
        return {"verdict": "inapplicable", "why": f"it needs Python {wanted}; this is {found}"}
    guarded = request["sandbox"] == "restrictedpython" or request["guest"]
    if request["id"] in GUARDED and not guarded:
        return {"verdict": "inapplicable", "why": "this writes no guards into the code"}
    task = Task(request, host_module(request["secret"]))
    sandbox = SANDBOXES[request["sandbox"]]
    if request["packages"]:
        sys.path.insert(0, request["packages"])
    package = PACKAGES.get(request["sandbox"])
    if package:
        __import__(package)
    if request["bounded"]:
        bound()
    # What a host has that watches from inside: one technique takes it away.
    signal.setitimer(signal.ITIMER_REAL, 60)
    sys.settrace(watch)
    refused, error = None, None
    try:
        sandbox(task)
    except Inapplicable as why:
        return {"verdict": "inapplicable", "why": str(why)}
    except Refused as why:
        refused = line(str(why))
    except ModuleNotFoundError as why:
        # The hook is asked first: what is not on a list never gets here.
        return {"verdict": "inapplicable", "why": f"`{why.name}` is not installed for this Python"}
    except BaseException as raised:
        error = raised
    got = judge(task, request["id"], error)
    sys.settrace(None)
    if got is None:
        return {"verdict": "stopped", "why": stopped(task, refused, error)}
    kind, sentence = got
    answer = {"verdict": "reached", "kind": kind, "why": sentence}
    if kind not in ("effect", "hook", "secret"):
        steps, objects = distance(task.names["leak"])
        answer.update(secret_steps=steps, objects=objects)
    return answer


def watch(*_):
    """A trace function that counts nothing: it is there to be removed."""
    return None


def stopped(task, refused, error):
    if refused is not None:
        return f"refused: {refused}"
    if error is not None:
        return f"raised {first_line(error)}"
    leak = task.names.get("leak")
    return f"it ran and has nothing: `leak` is of type `{type(leak).__name__}`"


def figures(request):
    """The three figures, each inside what people take for a fence."""
    host = host_module(request["secret"])
    counted = {"__builtins__": {}}
    exec("n = ().__class__.__base__.__subclasses__().__len__()", counted)
    fenced = {"__builtins__": {}, "fetch_row": host.fetch_row}
    exec(
        "helper = fetch_row.__globals__['__builtins__']\n"
        "def make():\n    yield\n"
        "own = make().gi_frame.f_globals['__builtins__']\n",
        fenced,
    )
    import ctypes

    library = ctypes.CDLL(None)
    resolved = {
        name: bool(ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
        for name in ("syscall", "getpid")
    }
    return {
        "version": "{}.{}.{}".format(*sys.version_info[:3]),
        "implementation": sys.implementation.name,
        "subclasses": counted["n"],
        "helper_builtins_are_real": fenced["helper"] is builtins.__dict__,
        "generator_builtins_are_real": fenced["own"] is builtins.__dict__,
        "libc_symbols": resolved,
        "libc_getpid_is_ours": library.getpid() == os.getpid(),
    }


def serve(request):
    answer = figures(request) if request["do"] == "figures" else cell(request)
    if request["guest"]:
        import stockade_guest

        stockade_guest.emit(answer)
    else:
        os.write(answers, json.dumps(answer).encode())


def guest_request():
    import stockade_guest

    return stockade_guest.input()


# On a rung the request is the input of the run; in a child of the command it is standard input.
request = json.load(sys.stdin) if sys.argv[1:] == [] else guest_request()
# What a submission prints does not mix with the answer.
answers = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
serve(request)
