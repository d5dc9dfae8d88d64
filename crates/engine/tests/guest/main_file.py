"""Run by itself, or called by name: a real `__main__` either way."""
import dataclasses
import inspect
import multiprocessing
import pickle
import sys

import stockade_guest as g


@dataclasses.dataclass
class Row:
    n: int


def send(pipe):
    pipe.send([Row(3), __name__, __file__])


def main(_input):
    me = sys.modules["__main__"]
    assert me.main is main and me.__dict__ is globals()
    assert __name__ == "__main__" and __file__ == "/work/job.py" and __spec__ is None
    assert sys.argv == ["/work/job.py", "/work/out.json"], sys.argv
    assert __doc__.startswith("Run by itself") and __builtins__.len is len
    assert "def send(pipe)" in inspect.getsource(send)
    assert pickle.loads(pickle.dumps(Row(1))) == Row(1)
    for start in ("fork", "spawn"):
        context = multiprocessing.get_context(start)
        mine, theirs = context.Pipe()
        worker = context.Process(target=send, args=(theirs,))
        worker.start()
        row, name, file = mine.recv()
        worker.join()
        assert row == Row(3) and file == "/work/job.py", (row, file)
        assert name == ("__main__" if start == "fork" else "__mp_main__"), name
    return "real"


if __name__ == "__main__" and "_stockade_call" not in sys.modules:
    g.emit(main(None))
