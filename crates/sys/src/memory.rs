//! How the memory of this process is mapped.

use std::io;
use std::ops::Range;

/// The size of a huge page where there are any, bytes; x86-64 and aarch64 with pages of 4 KiB.
pub(crate) const HUGE_BYTES: usize = 2 << 20;

/// `MADV_COLLAPSE`, since Linux 6.1.
const COLLAPSE: libc::c_int = 25;

/// Puts anonymous memory that is written to into huge pages, as far as whole ones fit and half of
/// one is in use: to copy such a process, and to end it, then takes one entry for 512. How many
/// were made; none where the kernel has none to give.
///
/// # Errors
/// Those of reading `/proc/self/maps`.
pub fn collapse() -> io::Result<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let mut made = 0;
    for range in maps.lines().filter_map(anonymous) {
        let start = range.start.next_multiple_of(HUGE_BYTES);
        let mut place = start;
        while place + HUGE_BYTES <= range.end {
            // SAFETY: the kernel moves what is mapped there to other pages and changes none of it.
            let done = unsafe {
                libc::madvise(
                    std::ptr::with_exposed_provenance_mut(place),
                    HUGE_BYTES,
                    COLLAPSE,
                )
            };
            made += usize::from(done == 0);
            place += HUGE_BYTES;
        }
    }
    Ok(made)
}

/// The range of a line of `/proc/self/maps` that is private, written to, and of no file.
fn anonymous(line: &str) -> Option<Range<usize>> {
    let mut words = line.split_whitespace();
    let (range, permissions) = (words.next()?, words.next()?);
    let (_, _, inode) = (words.next()?, words.next()?, words.next()?);
    let name = words.next();
    if permissions != "rw-p" || inode != "0" || !matches!(name, None | Some("[heap]")) {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some(number(start)?..number(end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_private_memory_without_a_file_is_taken() {
        let heap = "1c743000-1c7ce000 rw-p 00000000 00:00 0                    [heap]";
        assert_eq!(anonymous(heap), Some(0x1c74_3000..0x1c7c_e000));
        let plain = "7f57775fc000-7f577785e000 rw-p 00000000 00:00 0 ";
        assert!(anonymous(plain).is_some());
        for other in [
            "00946000-00a85000 rw-p 00545000 fe:00 247706 /usr/bin/python3.11",
            "7ffd9110c000-7ffd9112d000 rw-p 00000000 00:00 0 [stack]",
            "7f57775fc000-7f577785e000 r--p 00000000 00:00 0 ",
            "7f57775fc000-7f577785e000 rw-s 00000000 00:01 1 /dev/zero (deleted)",
        ] {
            assert_eq!(anonymous(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_collapsed_keeps_its_content() {
        let words: Vec<u64> = (0..1 << 20).collect();
        collapse().unwrap();
        assert!(words.iter().zip(0..).all(|(word, number)| *word == number));
    }
}
