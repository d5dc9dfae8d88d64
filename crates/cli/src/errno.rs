//! Names of the kernel's errors.

/// The name of error `number` on Linux, for those that a fence or a mount can end with.
pub(crate) fn name(number: i32) -> &'static str {
    match number {
        1 => "EPERM",
        2 => "ENOENT",
        4 => "EINTR",
        5 => "EIO",
        6 => "ENXIO",
        7 => "E2BIG",
        8 => "ENOEXEC",
        9 => "EBADF",
        11 => "EAGAIN",
        12 => "ENOMEM",
        13 => "EACCES",
        14 => "EFAULT",
        16 => "EBUSY",
        17 => "EEXIST",
        18 => "EXDEV",
        19 => "ENODEV",
        20 => "ENOTDIR",
        21 => "EISDIR",
        22 => "EINVAL",
        23 => "ENFILE",
        24 => "EMFILE",
        25 => "ENOTTY",
        26 => "ETXTBSY",
        27 => "EFBIG",
        28 => "ENOSPC",
        30 => "EROFS",
        32 => "EPIPE",
        34 => "ERANGE",
        36 => "ENAMETOOLONG",
        38 => "ENOSYS",
        40 => "ELOOP",
        87 => "EUSERS",
        95 => "EOPNOTSUPP",
        122 => "EDQUOT",
        _ => "no common name",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_standard_library_where_it_knows_them() {
        use std::io::ErrorKind;
        for (number, kind, expected) in [
            (13, ErrorKind::PermissionDenied, "EACCES"),
            (2, ErrorKind::NotFound, "ENOENT"),
            (28, ErrorKind::StorageFull, "ENOSPC"),
            (38, ErrorKind::Unsupported, "ENOSYS"),
        ] {
            assert_eq!(std::io::Error::from_raw_os_error(number).kind(), kind);
            assert_eq!(name(number), expected);
        }
    }
}
