import inspect, pathlib
def f(): return 1
if __name__ == "__main__":
    src = inspect.getsource(f)
    assert pathlib.Path(__file__).exists()
    1 / 0   # line 6
