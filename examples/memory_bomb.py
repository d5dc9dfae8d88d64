"""A list that grows until something stops it.

    stockade run examples/memory_bomb.py --limit memory=128MiB

ends with `limit_exceeded: memory` and exit code 3: the kernel kills the guest, not the host. The
loop ends by itself at 4 GiB, so that it is no disaster where nothing stops it.
"""
MIB = 1024 * 1024

blocks = []
for _ in range(4096):
    # Not zeros: the kernel gives zeroed pages on credit, and only pages that are written count.
    blocks.append(b"\xff" * MIB)
print(f"nothing stopped {len(blocks)} MiB")
