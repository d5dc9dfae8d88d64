"""Compiles the guest's modules in a prepared tree. Usage: `python3 -I -S - DIRECTORY SITE FILE...`

Unchecked by hash: the tree is read-only and its files have no meaningful times.
"""
import os
import py_compile
import sys

folder, site, *names = sys.argv[1:]
for name in names:
    py_compile.compile(
        os.path.join(folder, name),
        dfile=os.path.join(site, name),
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
