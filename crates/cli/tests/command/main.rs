//! The `stockade` command as people run it: the real binary, real jails.

mod audit;
mod code;
mod explain;
mod input;
mod signal;
mod terminal;
mod user;
mod value;
mod workshop;
