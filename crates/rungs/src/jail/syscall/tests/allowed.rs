//! What must work: Python's own library, run by the kernel under the filter.

use super::*;

fn works(name: &str, source: &str, arguments: &[String], grants: Grants, expected: &str) {
    for fence in [Fence::Down, Fence::Up(grants)] {
        assert_eq!(
            python(name, source, arguments, fence),
            expected,
            "{name} {fence:?}"
        );
    }
}

#[test]
fn case_17_ordinary_python_works() {
    works(
        "library",
        include_str!("library.py"),
        &[],
        NOTHING,
        "[[1, 2], 3, 0, \"4\", \"through\", 4950, true]\n",
    );
}

#[test]
fn case_19_each_start_method_works() {
    for method in ["fork", "spawn", "forkserver"] {
        works(
            method,
            include_str!("process.py"),
            &[method.to_owned()],
            NOTHING,
            "[1, 4, 9] 2 [0, 0]\n",
        );
    }
}

#[test]
fn each_part_of_the_kernel_that_the_library_reaches_works() {
    works("surface", include_str!("surface.py"), &[], LOOPBACK, "[]\n");
}
