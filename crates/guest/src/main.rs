//! The guest's init as a program of its own.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    stockade_guest::init()
}
