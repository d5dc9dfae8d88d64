# Case 19: pools, locks and shared memory with each start method.
import multiprocessing as mp
import sys
from multiprocessing import shared_memory


def square(x):
    return x * x


def hold(lock, value):
    with lock:
        value.value += 1


if __name__ == "__main__":
    mp.set_start_method(sys.argv[1])
    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    block.buf[0] = 7
    block.close()
    block.unlink()
    with mp.Pool(2) as pool:
        squares = pool.map(square, [1, 2, 3])
    lock, value = mp.Lock(), mp.Value("i", 0)
    children = [mp.Process(target=hold, args=(lock, value)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print(squares, value.value, [child.exitcode for child in children])
