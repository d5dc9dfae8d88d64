//! Measured quantities for people.

/// Microseconds in the unit that leaves one to three digits before the point.
pub(crate) fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", tenths(us, 1_000)),
        1_000_000.. => format!("{} s", tenths(us, 1_000_000)),
    }
}

/// Bytes in the largest unit of which there is one.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.iter().find(|(_, size)| bytes >= *size) {
        Some((name, size)) => format!("{} {name}", tenths(bytes, *size)),
        None => format!("{bytes} bytes"),
    }
}

/// `value` in units of `size`, with one decimal, cut and not rounded.
fn tenths(value: u64, size: u64) -> String {
    let tenths = u128::from(value) * 10 / u128::from(size);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Billionths of a US dollar.
pub(crate) fn dollars(nano_usd: u64) -> String {
    format!(
        "${}.{:09}",
        nano_usd / 1_000_000_000,
        nano_usd % 1_000_000_000
    )
}

/// `1 record`, `2 records`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_unit_that_fits() {
        assert_eq!(time(999), "999 µs");
        assert_eq!(time(12_345), "12.3 ms");
        assert_eq!(time(1_240_000), "1.2 s");
        assert_eq!(bytes(2), "2 bytes");
        assert_eq!(bytes(9_600_000), "9.1 MiB");
        assert_eq!(bytes(u64::MAX), "17179869183.9 GiB");
        assert_eq!(dollars(1_500_000_000), "$1.500000000");
        assert_eq!(count(1, "record"), "1 record");
    }
}
