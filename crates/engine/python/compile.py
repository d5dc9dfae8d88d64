"""Compiles the Python files below a directory, and runs none of them.

Usage: `python3 -I -S - DIRECTORY SITE stays|fails`: SITE is where the directory will be, and the
last word says what becomes of a file that cannot be compiled.

Unchecked by hash: the tree is read-only and its files have no meaningful times. Each package is
compiled by a process of its own, in a fixed order: what a process compiled before shows in the
bytes of what it compiles next, and the same packages shall give the same bytes.
"""
import os
import py_compile
import sys
import warnings

FOLDER, SITE, FAULTY = sys.argv[1:]


def compile_one(path):
    with warnings.catch_warnings():
        # Of packages: nobody here can mend them.
        warnings.simplefilter("ignore")
        try:
            py_compile.compile(
                path,
                dfile=SITE + path[len(FOLDER):],
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
        except (py_compile.PyCompileError, UnicodeDecodeError):
            if FAULTY == "fails":
                raise


def compile_all(top):
    if os.path.isfile(top):
        if top.endswith(".py"):
            compile_one(top)
        return
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".py") and os.path.isfile(path):
                compile_one(path)


def main():
    tops = [os.path.join(FOLDER, name) for name in sorted(os.listdir(FOLDER))]
    if len(tops) < 8:
        for top in tops:
            compile_all(top)
        return
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        pool.map(compile_all, tops, chunksize=1)


main()
