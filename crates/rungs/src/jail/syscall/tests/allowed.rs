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
    let source = include_str!("library.py");
    let expected = "[[1, 2], 3, 0, \"4\", \"through\", 4950, true]\n";
    works("library", source, &[], NOTHING, expected);
    assert_eq!(python("library", source, &[], Fence::UpUncounted), expected);
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

#[test]
#[ignore = "needs numpy and pandas: run with STOCKADE_DATA_PYTHON=/path/to/a/venv/bin/python"]
fn numpy_and_pandas_work() {
    works(
        "data",
        include_str!("data.py"),
        &[],
        NOTHING,
        "True (300, 300)\n{'a': 3998000, 'b': 4000000}\n4000 4000\n(300, 300)\n\
         2024-01-01 00:00:00+01:00\n",
    );
}
