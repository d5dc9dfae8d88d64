# What numpy and pandas ask of the kernel: threads, large mappings, files mapped and parsed.
import numpy as np
import pandas as pd

a = np.random.default_rng(1).random((300, 300))
print(np.allclose(a @ np.linalg.inv(a), np.eye(300), atol=1e-6), np.fft.fft(a).shape)
frame = pd.DataFrame({"k": list("abab") * 1000, "v": range(4000)})
print(frame.groupby("k").v.sum().to_dict())
frame.to_csv("frame.csv")
print(len(pd.read_csv("frame.csv", engine="c")), len(pd.read_csv("frame.csv", engine="python")))
mapped = np.memmap("mapped", mode="w+", shape=(1000,))
mapped[:] = 1
mapped.flush()
np.save("saved.npy", a)
print(np.load("saved.npy", mmap_mode="r").shape)
print(pd.date_range("2024-01-01", periods=1, tz="Europe/Berlin")[0])
